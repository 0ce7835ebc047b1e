import { closeSync, openSync, readSync } from 'node:fs';
import { logSize } from '../supervisor/logFile.ts';

const everyMs = 300;
/** More of one log at once is skipped: under load, the terminal would show nothing else. */
const maxBytes = 32_768;

/** Follows the logs of services from their present end, and says a line for each execution and each webhook. */
export function followActivity(logPaths: string[], say: (line: string) => void): () => void {
  const readers = logPaths.map(newLines);
  const look = () => {
    for (const read of readers) {
      const { lines, skippedBytes } = read();
      if (skippedBytes > 0) say('(more executions and webhooks than are shown here: see the logs)');
      for (const line of lines) {
        const shown = activityIn(line);
        if (shown !== null) say(shown);
      }
    }
  };
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}

/** Null for a line of the log that is about something else. */
export function activityIn(line: string): string | null {
  const entry = parsed(line);
  const executionId = text(entry['executionId']);
  if (entry['msg'] === 'execution ended') {
    const writtenOff = text(entry['writtenOff']);
    const parts = [executionId, text(entry['model']), text(entry['status'])];
    return [...parts, writtenOff && `(${writtenOff} written off)`].filter(Boolean).join('  ');
  }
  if (entry['msg'] !== 'webhook attempt') return null;
  const { status, stage, attempt, durationMs, outcome } = entry;
  const response = status === null ? `failed (${text(stage)})` : `responded ${text(status)}`;
  const about = executionId || text(entry['endpointId']);
  return `${about}  webhook ${response} after ${text(durationMs)} ms, attempt ${text(attempt)}: ${text(outcome)}`;
}

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // LOG_FORMAT=pretty, or what a runtime wrote.
    return {};
  }
}

/** A function that returns what has been written since its last call: whole lines, the newest if they are many. */
export function newLines(path: string): () => { lines: string[]; skippedBytes: number } {
  let position = logSize(path);
  return () => {
    const size = logSize(path);
    const from = Math.max(position, size - maxBytes);
    const skippedBytes = from - position;
    if (size <= position) return { lines: [], skippedBytes: 0 };
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(size - from);
      const read = readSync(file, bytes, 0, bytes.length, from);
      const end = bytes.subarray(0, read).lastIndexOf(0x0a) + 1;
      position = from + end;
      const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
      return { lines: skippedBytes > 0 ? lines.slice(1) : lines, skippedBytes };
    } finally {
      closeSync(file);
    }
  };
}
