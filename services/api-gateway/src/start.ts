import { setTimeout as delay } from 'node:timers/promises';
import { removeEnded } from '@holdfast/db/operatorSessions';
import { clockProblem, ping } from '@holdfast/db/server';
import { signIn } from '@holdfast/domain/operators';
import { eraseBatchItems } from '@holdfast/executions/eraseBatches';
import { startHealthServer } from '@holdfast/kit/health';
import type { Logger } from '@holdfast/kit/logger';
import type { Service } from '@holdfast/kit/service';
import { startSweep } from '@holdfast/kit/sweep';
import { openTracing } from '@holdfast/kit/tracing/tracing';
import { createAdminApp } from './adminApp.ts';
import { createApp } from './app.ts';
import type { GatewayConfig } from './context/config.ts';
import { closeContext, openContext } from './context/context.ts';
import { takeBatchFiles } from './faces/openai/batchIntake.ts';
import { listen } from './http/listen.ts';

export type Gateway = Service & { url: string; adminUrl: string; metricsUrl: string };

const sessionSweepMs = 600_000;
const erasureSweepMs = 5000;
/** A million items, a few hundred a second. */
const maxErasureMs = 3_600_000;
const intakeSweepMs = 2000;
/** One large file does not keep others waiting. */
const intakesAtOnce = 3;
/** A million lines, some thousand a second. */
const maxIntakeMs = 3_600_000;

/** Starts both APIs and the health server; they run until `stop`. */
export async function startGateway(args: { config: GatewayConfig; log: Logger }): Promise<Gateway> {
  const { config, log } = args;
  const tracing = await openTracing('api-gateway', config, log);
  const context = await openContext({ ...args, tracing });
  for (const opening of context.egress.openings) log.warn(`egress exception: ${opening}`);
  const host = config.LISTEN_HOST;
  const maxPerMinute = config.RATE_LIMIT_PER_MINUTE;
  const api = await listen(createApp(context), { host, port: config.PORT }, maxPerMinute);
  const admin = await listen(createAdminApp(context), { host, port: config.ADMIN_PORT }, maxPerMinute);
  const sessions = startSweep({
    name: 'ended sessions',
    intervalMs: sessionSweepMs,
    log,
    work: () => removeEnded(context.db, signIn.failureWindowMs),
  });
  const erasures = startSweep({
    name: 'erased batches',
    intervalMs: erasureSweepMs,
    log,
    work: () => eraseBatchItems(context.db, log),
    hangsAfterMs: maxErasureMs,
  });
  const stopping = new AbortController();
  const intakes = Array.from({ length: config.COMPATIBLE_APIS.includes('openai') ? intakesAtOnce : 0 }, () =>
    startSweep({
      name: 'files of batches',
      intervalMs: intakeSweepMs,
      log,
      work: () => takeBatchFiles(context, stopping.signal),
      hangsAfterMs: maxIntakeMs,
    }),
  );
  let isStopping = false;
  const health = await startHealthServer({
    at: { host, port: config.METRICS_PORT },
    registry: context.registry,
    live: {
      creates: context.creator.problem,
      sessions: sessions.problem,
      erasures: erasures.problem,
      intakes: () => intakes.map((one) => one.problem()).find((one) => one !== null) ?? null,
    },
    ready: {
      database: () => ping(context.db),
      clock: () => clockProblem(context.db),
      stopping: () => (isStopping ? 'the service is stopping' : null),
    },
  });
  log.info({ port: api.port, adminPort: admin.port, metricsPort: health.port }, 'listening');
  return {
    url: `http://127.0.0.1:${api.port}`,
    adminUrl: `http://127.0.0.1:${admin.port}`,
    metricsUrl: `http://127.0.0.1:${health.port}`,
    stopDelayMs: config.STOP_DELAY_S * 1000,
    async stop() {
      isStopping = true;
      for (const server of [api, admin]) server.retire();
      if (config.STOP_DELAY_S > 0) await delay(config.STOP_DELAY_S * 1000);
      // Open event streams and requests that wait would keep the servers open.
      context.watcher.close();
      stopping.abort();
      context.waitingRoom.close();
      const sweeps = [sessions, erasures, ...intakes];
      await Promise.all([api.close(), admin.close(), ...sweeps.map((sweep) => sweep.stop())]);
      await closeContext(context);
      await Promise.all([health.close(), tracing?.stop()]);
    },
  };
}
