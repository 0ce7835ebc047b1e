import type { styleText } from 'node:util';
import { parseJson } from '@holdfast/domain/json';
import type { Before } from './receiver.ts';

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** The fields of a body that the line shows; empty when the body is not an event. */
export type EventFields = Partial<{
  id: string;
  type: string;
  timestamp: string;
  execution_id: string | null;
  endpoint_id: string | null;
  truncated: boolean;
  data: Partial<{
    status: string;
    model: string;
    cost: string | null;
    error: { code: string } | null;
    last_error: string | null;
  }>;
}>;

export type Delivered = {
  at: Date;
  event: EventFields;
  problem: string | null;
  before: Before;
  responseStatus: number;
  remark: string | null;
};

const statusColours: Record<string, Parameters<Paint>[0]> = {
  COMPLETED: 'green',
  FAILED: 'red',
  EXPIRED: 'red',
  CANCELLED: 'yellow',
};

export function lineOf(delivered: Delivered, paint: Paint): string {
  const { at, event, problem, before, responseStatus, remark } = delivered;
  const { status = '', model = '', cost, error, last_error: lastError } = event.data ?? {};
  const parts: [Parameters<Paint>[0], string][] = [
    ['dim', clock(at)],
    problem === null ? ['green', '✓ verified'] : [['red', 'bold'], `✗ not verified: ${problem}`],
    ['bold', (event.type ?? 'no event').padEnd(19)],
    ['reset', event.execution_id ?? event.endpoint_id ?? event.id ?? ''],
    ['cyan', model],
    [statusColours[status] ?? 'blue', status],
    ['reset', cost ?? ''],
    ['red', error?.code ?? lastError ?? ''],
    ['yellow', event.truncated ? 'truncated' : ''],
    [before.wasTaken ? 'magenta' : 'yellow', repeatMark(before)],
    [isTaken(responseStatus) ? 'dim' : 'red', `→ ${responseStatus}`],
    ['dim', remark ?? ''],
    ['dim', latency(at, event.timestamp)],
  ];
  const shown = parts.filter(([, text]) => text !== '');
  return shown.map(([format, text]) => paint(format, printable(text))).join('  ');
}

export const isTaken = (status: number) => status >= 200 && status <= 299;

export function colouredJson(text: string, paint: Paint): string {
  const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return indented(text).replaceAll(tokens, (token, quoted?: string, colon?: string, word?: string) => {
    if (colon !== undefined) return paint('cyan', quoted ?? '') + colon;
    if (quoted !== undefined) return paint('green', token);
    return paint(word === undefined ? 'yellow' : 'magenta', token);
  });
}

function repeatMark({ times, wasTaken }: Before): string {
  if (times === 0) return '';
  return wasTaken ? `duplicate, time ${times + 1}` : `retry, attempt ${times + 1}`;
}

function clock(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

function latency(at: Date, since: string | undefined): string {
  const ms = at.getTime() - Date.parse(since ?? '');
  if (Number.isNaN(ms)) return '';
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function indented(text: string): string {
  try {
    return printable(JSON.stringify(parseJson(text), null, 2), '\n');
  } catch {
    // An event's author must not be able to print lines of their own.
    return printable(text);
  }
}

/** Text of others must not move the cursor or turn the text direction. */
const printable = (text: unknown, kept = '') =>
  String(text).replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    kept.includes(character) ? character : '�',
  );
