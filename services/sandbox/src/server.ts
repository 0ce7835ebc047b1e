import express, { type NextFunction, type Request, type Response } from 'express';
import { createOutputs } from './outputs.ts';
import { models, notFound, putPrediction } from './predictions.ts';
import { createRuns } from './runs.ts';

export type SandboxOptions = { maxRunning: number; onLostWebhook: () => void };

export function createSandbox({ maxRunning, onLostWebhook }: SandboxOptions): express.Express {
  const runs = createRuns({ maxRunning });
  const outputs = createOutputs();
  const app = express().disable('x-powered-by').disable('etag');

  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/outputs/:id', (request, response) => {
    const output = outputs.get(request.params.id);
    if (output === undefined) notFound(response);
    else response.type(output.contentType).send(output.bytes);
  });
  const startedAt = new Date().toISOString();
  app.get('/:model/health-check', (request, response) => {
    const setup = { started_at: startedAt, completed_at: startedAt, status: 'succeeded', logs: '' };
    if (!Object.hasOwn(models, request.params.model)) notFound(response);
    else response.json({ status: runs.isFull() ? 'BUSY' : 'READY', setup });
  });
  // A source image may be a data URI: 150 MB in base64.
  const json = express.json({ limit: '220mb' });
  app.put('/:model/predictions/:id', json, putPrediction(runs, outputs, onLostWebhook));
  app.post('/:model/predictions/:id/cancel', (request, response) => {
    const run = runs.find(request.params.model, request.params.id);
    run?.cancel();
    if (run === undefined) notFound(response);
    else response.json({});
  });
  app.use((_request, response) => void notFound(response));
  app.use((error: { status?: number }, _request: Request, response: Response, _next: NextFunction) => {
    const status = error.status ?? 500;
    response
      .status(status)
      .json({ detail: status < 500 ? 'the body is not valid JSON' : 'Internal Server Error' });
  });
  return app;
}
