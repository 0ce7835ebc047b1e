import { limits } from '@holdfast/domain/limits';
import { formatMoney, holdFor } from '@holdfast/domain/money';
import { estimateItems, type PriceItem, priceUnits } from '@holdfast/domain/pricing';
import { z } from 'zod';
import { isOperator } from '../../access/callers.ts';
import { requireModel } from '../../access/models.ts';
import { endpoint } from '../../context/endpoint.ts';
import { estimateBody, prepareCreate } from '../../executions/createRequest.ts';
import { amount } from '../../http/fields.ts';

const EstimateItem = z
  .object({
    unit: z.enum(priceUnits).meta({
      description: 'The unit of the price; `minimum`: what the least price of a run adds',
      example: 'image',
    }),
    input: z
      .string()
      .optional()
      .meta({ description: 'Of units of the input: the property that is counted', example: 'steps' }),
    quantity: z.number().meta({ description: 'The expected quantity for this input', example: 1 }),
    unit_price: z.string().meta({ description: 'The price of one unit', example: '0.04' }),
    amount: z.string().meta({ description: 'The exact amount, not rounded', example: '0.04' }),
  })
  .meta({ id: 'EstimateItem' });

const HoldRule = z
  .object({
    factor: z.literal(limits.holdFactor).describe('`hold_amount` is `estimated_cost` times this factor'),
    minimum: z.literal(limits.minimumHold).describe('The lowest possible `hold_amount`'),
  })
  .meta({ id: 'HoldRule', description: 'How the hold is calculated' });

const EstimateRecord = z
  .object({
    model: z.string().meta({ description: 'Model slug', example: 'sandbox-image' }),
    estimated_cost: amount('The expected cost: the sum of `items`, rounded up').meta({
      example: '0.04',
    }),
    hold_amount: amount('The amount that creating the execution would hold'),
    currency: z.literal('USD'),
    items: z.array(EstimateItem).describe('One item per price of the model'),
    hold: HoldRule,
  })
  .meta({ id: 'Estimate' });

export const postEstimate = endpoint({
  method: 'POST',
  path: '/v1/executions/estimate',
  operationId: 'estimateExecution',
  tag: 'Executions',
  summary: 'Estimate the cost and hold of an execution',
  description:
    'Validates the input as creating an execution does, and returns the amount that would be held, with its calculation. Nothing is created or held, and no balance is needed.',
  scope: 'executions:write',
  limit: 'other',
  isReading: true,
  body: estimateBody,
  responses: { 200: { description: 'The estimate', schema: EstimateRecord } },
  errors: [
    'FILE_NOT_FOUND',
    'FILE_FORMAT_UNSUPPORTED',
    'INSUFFICIENT_BALANCE',
    'MODEL_UNAVAILABLE',
    'INSUFFICIENT_STORAGE',
  ],
  async handle({ context, caller, body }) {
    await requireModel(context, caller, body.model);
    const { definition, priced, estimatedCost } = await prepareCreate(context, caller, body, {
      isTestRun: isOperator(caller),
    });
    const record: z.infer<typeof EstimateRecord> = {
      model: definition.slug,
      estimated_cost: formatMoney(estimatedCost),
      hold_amount: formatMoney(holdFor(estimatedCost)),
      currency: 'USD',
      items: estimateItems(definition, priced).map(itemRecord),
      hold: { factor: limits.holdFactor, minimum: limits.minimumHold },
    };
    return { status: 200, body: record };
  },
});

function itemRecord({ unit, input, quantity, unitPrice, amount: exact }: PriceItem) {
  return {
    unit,
    ...(input !== undefined && { input }),
    quantity: quantity.toNumber(),
    unit_price: unitPrice,
    amount: exact.toFixed(Math.max(2, exact.decimalPlaces())),
  };
}
