import { ConfigError } from './config.ts';
import type { Logger } from './logger.ts';

export type Service = {
  stop(): Promise<void>;
  /** How long `stop` keeps serving before it shuts down. */
  stopDelayMs?: number;
};

const stopWithinMs = 28_000;

/** The process ends within 30 s of a signal, plus its delay. An uncaught error ends it for a supervisor to restart. */
export function runService(start: () => Promise<{ service: Service; log: Logger }>): void {
  start().then(
    ({ service, log }) => stopOnSignal(service, log),
    (error: unknown) => {
      process.stderr.write(`${error instanceof ConfigError ? error.message : stack(error)}\n`);
      process.exit(1);
    },
  );
}

function stopOnSignal(service: Service, log: Logger): void {
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), stopWithinMs + (service.stopDelayMs ?? 0)).unref();
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    process.exit(1);
  });
}

function stack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
