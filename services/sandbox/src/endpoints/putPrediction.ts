import type { Request, Response } from 'express';
import { z } from 'zod';
import { models } from '../model.ts';
import type { Outputs } from '../outputs.ts';
import type { Run, Runs } from '../runs.ts';
import { sendWebhook } from '../webhook.ts';
import { invalid, notFound } from './answers.ts';

const body = z.object({
  input: z.unknown(),
  webhook: z.url({ protocol: /^https?$/ }).nullish(),
  webhook_events_filter: z.array(z.string()).nullish(),
});

/**
 * `PUT /{model}/predictions/{id}`: Cog's idempotent create. A known id joins its run, or gets what came of it.
 * With `Prefer: respond-async` the answer is 202 at once; without, it comes when the run has ended.
 */
export function putPrediction(runs: Runs, outputs: Outputs, onLostWebhook: () => void) {
  return async (request: Request<{ model: string; id: string }>, response: Response): Promise<void> => {
    const { model, id } = request.params;
    const isAsync = /\brespond-async\b/.test(request.get('prefer') ?? '');
    const run = runs.find(model, id) ?? begin(runs, outputs, request, response, onLostWebhook);
    if (run === null) return;
    if (isAsync) response.status(run.prediction.completed_at ? 200 : 202).json(run.prediction);
    else response.json(await run.ended);
  };
}

/** A new run; null when the request was answered instead. */
function begin(
  runs: Runs,
  outputs: Outputs,
  request: Request<{ model: string; id: string }>,
  response: Response,
  onLostWebhook: () => void,
): Run | null {
  const { model: name, id } = request.params;
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (model === undefined) return notFound(response);
  const asked = body.safeParse(request.body);
  if (!asked.success) return invalid(response, asked.error, []);
  const input = model.input.safeParse(asked.data.input);
  if (!input.success) return invalid(response, input.error, ['input']);

  const origin = `${request.protocol}://${request.get('host')}`;
  const run = runs.begin(name, id, (signal) =>
    model.run(input.data, {
      signal,
      publish: (bytes, contentType) => outputs.publish(bytes, contentType, origin),
    }),
  );
  if (run === null) {
    response.status(409).json({ detail: 'Already running as many predictions as possible' });
    return null;
  }
  const { webhook } = asked.data;
  if (webhook) void tell(webhook, run, onLostWebhook);
  return run;
}

async function tell(webhook: string, run: Run, onLost: () => void): Promise<void> {
  if (!(await sendWebhook(webhook, await run.ended))) onLost();
}
