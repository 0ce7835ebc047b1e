import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { sendEvents } from './events.ts';
import type { Model } from './model.ts';
import { image } from './models/image.ts';
import { moderation } from './models/moderation.ts';
import { text } from './models/text.ts';
import { transform } from './models/transform.ts';
import { video } from './models/video.ts';
import type { Outputs } from './outputs.ts';
import type { Prediction, Run, Runs } from './runs.ts';

export const models: Record<string, Model> = {
  'sandbox-text': text,
  'sandbox-image': image,
  'image-transform': transform,
  'sandbox-moderation': moderation,
  'sandbox-video': video,
};

const body = z.object({
  input: z.unknown(),
  webhook: z.url({ protocol: /^https?$/ }).nullish(),
  webhook_events_filter: z.array(z.enum(['start', 'output', 'logs', 'completed'])).nullish(),
});

type PutRequest = Request<{ model: string; id: string }>;

/**
 * As Cog 0.23: a repeated PUT returns the running run; an ended run is forgotten. Closing a synchronous PUT cancels, and so
 * does closing the last stream of a run that was started by one.
 */
export function putPrediction(runs: Runs, outputs: Outputs, onLostWebhook: () => void) {
  return async (request: PutRequest, response: Response): Promise<void> => {
    const { model, id } = request.params;
    const wantsStream = /\btext\/event-stream\b/.test(request.get('accept') ?? '');
    if (wantsStream && modelOf(model)?.streams === false)
      return void response.status(406).json({ error: noStream });
    const underWay = runs.find(model, id);
    if (underWay && wantsStream) return await sendEvents(underWay, response);
    if (underWay) return void response.status(202).json(underWay.prediction);
    const run = begin(runs, outputs, request, response, onLostWebhook, wantsStream);
    if (run === null) return;
    if (wantsStream) return await sendEvents(run, response);
    if (/\brespond-async\b/.test(request.get('prefer') ?? ''))
      return void response.status(202).json({ id, status: 'starting' });
    response.on('close', () => {
      if (!response.writableFinished) run.cancel();
    });
    response.json(await run.ended);
  };
}

const noStream =
  'This model does not support streaming responses. Add @cog.streaming to predict() to enable SSE.';

function modelOf(name: string): Model | null {
  return (Object.hasOwn(models, name) ? models[name] : null) ?? null;
}

/** Null when the response was a refusal. */
function begin(
  runs: Runs,
  outputs: Outputs,
  request: PutRequest,
  response: Response,
  onLostWebhook: () => void,
  isStreamed: boolean,
): Run | null {
  const { model: name, id } = request.params;
  const model = modelOf(name);
  if (model === null) return notFound(response);
  const parsed = body.safeParse(request.body);
  if (!parsed.success) return invalid(response, parsed.error, []);
  const input = model.input.safeParse(parsed.data.input);
  if (!input.success) return invalid(response, input.error, ['input']);

  const origin = `${request.protocol}://${request.get('host')}`;
  const run = runs.begin(name, id, isStreamed, (context) =>
    model.run(input.data, {
      ...context,
      publish: (bytes, contentType) => outputs.publish(bytes, contentType, origin),
    }),
  );
  if (run === null) {
    response.status(409).json({ error: 'At capacity - all prediction slots busy', status: 'failed' });
    return null;
  }
  const { webhook, webhook_events_filter: events } = parsed.data;
  if (webhook && (events ?? ['completed']).includes('completed')) void callBack(webhook, run, onLostWebhook);
  return run;
}

async function callBack(webhook: string, run: Run, onLost: () => void): Promise<void> {
  if (!(await sendWebhook(webhook, await run.ended))) onLost();
}

const timeoutMs = 30_000;
const maxRepeats = 12;
const firstPauseMs = 200;
const maxPauseMs = 102_400;
const repeatedStatuses: readonly number[] = [429, 500, 502, 503, 504];

/** Retries for about seven minutes, as Cog does. Returns whether the webhook was accepted. */
export async function sendWebhook(url: string, prediction: Prediction): Promise<boolean> {
  const body = JSON.stringify(prediction);
  for (let repeats = 0; ; repeats++) {
    const status = await post(url, body);
    if (status !== null && status < 300) return true;
    if (status !== null && !repeatedStatuses.includes(status)) return false;
    if (repeats === maxRepeats) return false;
    // A pending retry does not keep the process alive.
    await sleep(Math.min(firstPauseMs * 2 ** repeats, maxPauseMs), undefined, { ref: false });
  }
}

/** Null when there was no response. */
async function post(url: string, body: string): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

/** Cog's 422: `{detail: [{loc, msg, type}]}`. */
export function invalid(response: Response, error: z.ZodError, below: string[]): null {
  const detail = error.issues.map(({ path, message, code }) => ({
    loc: ['body', ...below, ...path.map(String)],
    msg: message,
    type: code,
  }));
  response.status(422).json({ detail });
  return null;
}

export function notFound(response: Response): null {
  response.status(404).json({ detail: 'Not Found' });
  return null;
}
