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
  webhook_events_filter: z.array(z.enum(['start', 'output', 'logs', 'completed'])).nullish(),
});

type PutRequest = Request<{ model: string; id: string }>;

/**
 * `PUT /{model}/predictions/{id}`, as Cog 0.23 answers it: a run under way is shown, whatever else the request says; one that
 * has ended is forgotten, so its id begins another. With `Prefer: respond-async` the answer comes at once, and the end goes
 * to the webhook, of whose events `completed` alone is sent; without, the answer is the end, and a connection that is closed
 * before cancels the run.
 */
export function putPrediction(runs: Runs, outputs: Outputs, onLostWebhook: () => void) {
  return async (request: PutRequest, response: Response): Promise<void> => {
    const { model, id } = request.params;
    const underWay = runs.find(model, id);
    if (underWay) return void response.status(202).json(underWay.prediction);
    const run = begin(runs, outputs, request, response, onLostWebhook);
    if (run === null) return;
    if (/\brespond-async\b/.test(request.get('prefer') ?? ''))
      return void response.status(202).json({ id, status: 'starting' });
    response.on('close', () => {
      if (!response.writableFinished) run.cancel();
    });
    response.json(await run.ended);
  };
}

/** A new run; null when the request was answered instead. */
function begin(
  runs: Runs,
  outputs: Outputs,
  request: PutRequest,
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
  const run = runs.begin(name, id, (signal, log) =>
    model.run(input.data, {
      signal,
      log,
      publish: (bytes, contentType) => outputs.publish(bytes, contentType, origin),
    }),
  );
  if (run === null) {
    response.status(409).json({ error: 'At capacity - all prediction slots busy', status: 'failed' });
    return null;
  }
  const { webhook, webhook_events_filter: events } = asked.data;
  if (webhook && (events ?? ['completed']).includes('completed')) void callBack(webhook, run, onLostWebhook);
  return run;
}

async function callBack(webhook: string, run: Run, onLost: () => void): Promise<void> {
  if (!(await sendWebhook(webhook, await run.ended))) onLost();
}
