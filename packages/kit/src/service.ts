import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { ConfigError } from './config.ts';
import type { Logger } from './logger.ts';

export type Service = {
  stop(): Promise<void>;
  /** How long `stop` keeps serving before it shuts down. */
  stopDelayMs?: number;
};

const stopWithinMs = 28_000;
const lastLinesWithinMs = 1000;
/** By which old objects may grow before they are collected; V8 lets them triple, and most are garbage (ADR 0019). */
const heapGrowingPercent = 50;
/** More niceness than the process has: with 10 more, marking cannot keep up with busy services, which hold 100 MB more (ADR 0019). */
const markingNiceness = 5;

/** The process ends within 30 s of a signal, plus its delay. An uncaught error ends it for a supervisor to restart. */
export function runService(start: () => Promise<{ service: Service; log: Logger }>): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
  // What survives one batch seems old to V8, which would then make all of its kind old, and collect it late (ADR 0019).
  setFlagsFromString('--no-allocation-site-pretenuring');
  // A collection of so few young objects takes a millisecond or two; to share it with V8's threads costs more CPU (ADR 0019).
  setFlagsFromString('--no-parallel-scavenge');
  yieldToRequests();
  start().then(
    ({ service, log }) => stopOnSignal(service, log),
    (error: unknown) => {
      process.stderr.write(`${error instanceof ConfigError ? error.message : stack(error)}\n`);
      process.exit(1);
    },
  );
}

/** Where cores are busy, V8's threads, which mark old objects, must not keep requests waiting. Only Linux names threads. */
function yieldToRequests(): void {
  const threads = '/proc/self/task';
  try {
    const niceness = Math.min(getPriority() + markingNiceness, constants.priority.PRIORITY_LOW);
    for (const id of readdirSync(threads)) {
      const name = readFileSync(`${threads}/${id}/comm`, 'utf8').trim();
      if (name === 'V8Worker') setPriority(Number(id), niceness);
    }
  } catch {
    // Slower responses while objects are marked are no reason not to start.
  }
}

function stopOnSignal(service: Service, log: Logger): void {
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), stopWithinMs + (service.stopDelayMs ?? 0)).unref();
    service.stop().then(
      () => exit(log, 0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        exit(log, 1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    exit(log, 1);
  });
}

/** Once the log is written, unless no one reads it. */
function exit(log: Logger, code: number): void {
  setTimeout(() => process.exit(code), lastLinesWithinMs);
  log.flush(() => process.exit(code));
}

function stack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
