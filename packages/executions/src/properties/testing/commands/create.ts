import fc from 'fast-check';
import type { CreateRequest } from '../../../creator.ts';
import { holdOf } from '../amounts.ts';
import {
  type Command,
  nothing,
  organization,
  pick,
  picked,
  resultOf,
  type StepResult,
  which,
} from '../command.ts';
import { accountOf, type Model, type ModelExecution, spent } from '../model.ts';
import { apiKeyId, gateway, organizationId, type Run, type Which } from '../run.ts';

const estimate = fc.constantFrom('0.00000001', '0.33333333', '0.5', '4', '25.5');

/** A create; with few keys, so that they are repeated with the same body and with others. */
export const create: Command<{
  by: Which;
  organization: number;
  apiKey: number;
  idempotencyKey: string | null;
  estimate: string;
}> = {
  args: fc.record({
    by: which,
    organization,
    apiKey: fc.constantFrom(0, 1),
    idempotencyKey: fc.constantFrom(null, null, 'a', 'b', 'c'),
    estimate,
  }),
  expect: (model, args) => expectCreate(model, { ...args, body: args.estimate }),
  async perform(run, { by, organization: at, apiKey, idempotencyKey, estimate: estimatedCost }) {
    return await send(run, by, {
      organizationId: organizationId(run, at),
      apiKeyId: apiKeyId(run, at, apiKey),
      idempotencyKey,
      requestHash: idempotencyKey && estimatedCost,
      estimatedCost,
      model: 'a-model',
      input: { prompt: 'hello' },
      metadata: null,
      webhookUrl: null,
      timeoutS: 600,
    });
  },
};

/** Repeats an accepted request with the same body or another. */
export const createAgain: Command<{ by: Which; pick: number; sameBody: boolean }> = {
  args: fc.record({ by: which, pick, sameBody: fc.boolean() }),
  expect(model, args) {
    const first = picked(model.executions, args.pick);
    if (!first) return nothing;
    return expectCreate(model, { ...first, body: bodyOf(first.body, args.sameBody) });
  },
  async perform(run, args) {
    const first = picked(run.executions, args.pick)?.request;
    if (!first) return nothing;
    const requestHash = first.requestHash && bodyOf(first.requestHash, args.sameBody);
    return await send(run, args.by, { ...first, requestHash });
  },
};

const bodyOf = (body: string, isSame: boolean) => (isSame ? body : `not ${body}`);

type CreateFields = Pick<ModelExecution, 'organization' | 'apiKey' | 'idempotencyKey' | 'estimate' | 'body'>;

function expectCreate(model: Model, fields: CreateFields): StepResult {
  const { organization: at, apiKey, idempotencyKey, estimate: estimated, body } = fields;
  const isTwin = (one: ModelExecution) =>
    idempotencyKey !== null && one.organization === at && one.idempotencyKey === idempotencyKey;
  const first = model.executions.findIndex(isTwin);
  const known = model.executions[first];
  if (known) return known.body === body ? `replayed ${first} ${known.status}` : 'IDEMPOTENCY_KEY_REUSED';
  const hold = holdOf(estimated);
  const account = accountOf(model, at);
  if (account.available < hold) return 'INSUFFICIENT_BALANCE';
  for (const [scope, limit] of account.limits) {
    const counts = scope === 'all' || scope === apiKey;
    if (counts && limit - spent(model, at, scope) < hold) return 'SPEND_LIMIT_REACHED';
  }
  account.available -= hold;
  account.held += hold;
  model.executions.push({
    organization: at,
    apiKey,
    idempotencyKey,
    estimate: estimated,
    body,
    hold,
    cost: null,
    writtenOff: 0n,
    isInReview: false,
    status: 'PENDING',
    wasStarted: false,
    isOverdue: false,
    attempt: null,
  });
  return `created ${model.executions.length - 1} PENDING`;
}

async function send(run: Run, by: Which, request: CreateRequest): Promise<StepResult> {
  return await resultOf(
    gateway(run, by)
      .creator.create(request)
      .then(({ record: { id, status }, replayed }) => {
        const { organizationId: at, idempotencyKey } = request;
        run.accepted.push({ organizationId: at, idempotencyKey, id, replayed });
        if (!replayed) run.executions.push({ id, organizationId: at, request, attempt: null, outcomes: [] });
        const index = run.executions.findIndex((execution) => execution.id === id);
        return `${replayed ? 'replayed' : 'created'} ${index} ${status}`;
      }),
  );
}
