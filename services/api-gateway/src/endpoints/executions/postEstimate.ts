import { limits } from '@holdfast/domain/limits';
import { formatMoney, holdFor } from '@holdfast/domain/money';
import { estimateItems, type PriceItem, priceUnits } from '@holdfast/domain/pricing';
import { z } from 'zod';
import { requireModel } from '../../apiKeys/modelAccess.ts';
import { estimateBody, prepareCreate } from '../../executions/createRequest.ts';
import { endpoint } from '../../http/endpoint.ts';
import { amount } from '../../money/amounts.ts';

const EstimateRecord = z
  .object({
    model: z.string().meta({ description: 'Model slug', example: 'sandbox-image' }),
    estimated_cost: amount('What it is expected to cost: the sum of `items`, rounded up').meta({
      example: '0.04',
    }),
    hold_amount: amount('What a create would reserve from the balance'),
    currency: z.literal('USD'),
    items: z
      .array(
        z.object({
          unit: z.enum(priceUnits).meta({ description: 'What the price is for', example: 'image' }),
          quantity: z.number().meta({ description: 'How many are expected of this input', example: 1 }),
          unit_price: z.string().meta({ description: 'Of the model', example: '0.04' }),
          amount: z.string().meta({ description: 'Exact, not rounded', example: '0.04' }),
        }),
      )
      .describe('Each price of the model'),
    hold: z
      .object({
        factor: z.literal(limits.holdFactor).describe('`hold_amount` is `estimated_cost` times this'),
        minimum: z.literal(limits.minimumHold).describe('and this at least'),
      })
      .describe('How the hold follows'),
  })
  .meta({ id: 'Estimate' });

export const postEstimate = endpoint({
  method: 'POST',
  path: '/v1/executions/estimate',
  tag: 'Executions',
  summary: 'Estimate what an execution would hold',
  description:
    'Checks the input as a create does, and answers what that would hold and why. Nothing is created or held, and no balance is needed.',
  scope: 'executions:write',
  limit: 'other',
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
    const { definition, input, estimatedCost } = await prepareCreate(context, caller.organizationId, body);
    const record: z.infer<typeof EstimateRecord> = {
      model: definition.slug,
      estimated_cost: formatMoney(estimatedCost),
      hold_amount: formatMoney(holdFor(estimatedCost)),
      currency: 'USD',
      items: estimateItems(definition, input).map(itemRecord),
      hold: { factor: limits.holdFactor, minimum: limits.minimumHold },
    };
    return { status: 200, body: record };
  },
});

function itemRecord({ unit, quantity, unitPrice, amount: exact }: PriceItem) {
  return {
    unit,
    quantity: quantity.toNumber(),
    unit_price: unitPrice,
    amount: exact.toFixed(Math.max(2, exact.decimalPlaces())),
  };
}
