import { createHmac } from 'node:crypto';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import { expectChargedOnce } from './charges.ts';
import { expectAuthentic, expectEvents } from './events.ts';
import { expectedExecution } from './expectedExecutions.ts';
import type { Accepted } from './load.ts';
import type { ExecutionRecord } from './records.ts';
import { expectAllEnded, expectAllThere } from './statuses.ts';

const secret = 'whsec_of_a_test';
const at = (second: number) => new Date(second * 1000).toISOString();

function delivered(body: object): Received {
  const text = JSON.stringify(body);
  const signature = createHmac('sha256', secret).update(`1.${text}`).digest('hex');
  const headers = { 'x-signature-timestamp': '1', 'x-signature': signature };
  return { headers, body: text, path: '/hook', atMs: 0 };
}

/** One execution of each kind, all as expected: an image, a text, a failed and a cancelled one. */
function perfect() {
  const accepted: Accepted = new Map(
    [0, 1, 7, 13].map((index) => [`exec_${index}`, expectedExecution(index)]),
  );
  const records = [...accepted].map(([id, { ends }]): ExecutionRecord => {
    const error = ends.errorCode === null ? null : { code: ends.errorCode };
    return { id, status: ends.status, cost: ends.cost, error, created_at: at(1), completed_at: at(2) };
  });
  const types = records.flatMap(({ id, status }) => [
    { execution_id: id, type: 'execution.started' },
    { execution_id: id, type: `execution.${status.toLowerCase()}` },
  ]);
  const bodies = types.map((body, index) => ({ id: `evt_${index}`, ...body }));
  return {
    accepted,
    records,
    events: bodies.map((body) => `${body.id} ${body.execution_id} ${body.type}`),
    received: bodies.map(delivered),
    charges: ['exec_0 1 0.04', 'exec_1 1 0.01'],
    available: '99.95',
  };
}

function checkAll(all: ReturnType<typeof perfect>): void {
  expectAllThere(all.accepted, all.records, 4);
  expectAllEnded(all.accepted, all.records, []);
  expectChargedOnce(all);
  expectEvents(all.received, all.events, all.records);
  expectAuthentic(all.received, secret);
}

const record = (all: ReturnType<typeof perfect>, id: string) =>
  all.records.find((one) => one.id === id) as ExecutionRecord;

/** Damages, each with the message of the check that finds it. */
const breaks: Record<string, [RegExp, (all: ReturnType<typeof perfect>) => void]> = {
  'a missing execution': [/accepted but missing/, (all) => void all.records.pop()],
  'an execution that was never accepted': [/never accepted/, (all) => void all.accepted.delete('exec_1')],
  'a stuck execution': [
    /unexpected final status/,
    (all) => Object.assign(record(all, 'exec_1'), { status: 'PROCESSING', completed_at: null }),
  ],
  'an unexpected failure': [
    /unexpected final status/,
    (all) => Object.assign(record(all, 'exec_1'), { status: 'FAILED', error: { code: 'MODEL_UNAVAILABLE' } }),
  ],
  'a cancelled execution that completed': [
    /unexpected final status/,
    (all) => Object.assign(record(all, 'exec_13'), { status: 'COMPLETED' }),
  ],
  'a repeated charge': [/not charged once/, (all) => void (all.charges[1] = 'exec_1 2 0.02')],
  'a charge with a wrong price': [/not charged once/, (all) => void (all.charges[1] = 'exec_1 1 0.02')],
  'a charge for a failure': [/should not have been/, (all) => void all.charges.push('exec_7 1 0.01')],
  'missing money': [/is left of 100/, (all) => void (all.available = '99.94')],
  'a missing event': [/did not arrive/, (all) => void all.received.pop()],
  'a final status without an event': [
    /have no event/,
    (all) => {
      all.events.pop();
      all.received.pop();
    },
  ],
  'an unknown event': [/unknown events/, (all) => void all.events.pop()],
  'an event in two versions': [
    /different bodies/,
    (all) => {
      const [first] = all.received;
      all.received.push(delivered({ ...(JSON.parse(first?.body ?? '') as object), data: 'other' }));
    },
  ],
  'a wrong signature': [
    /wrong signature/,
    (all) => void ((all.received[0] as Received).headers['x-signature'] = '00'),
  ],
};

describe('the final check', () => {
  it('passes if all executions are as expected and some events arrived twice', () => {
    const all = perfect();
    all.received.push(...all.received.slice(2));
    expect(() => checkAll(all)).not.toThrow();
  });

  it.each(Object.entries(breaks))('finds %s', (_name, [words, damage]) => {
    const all = perfect();
    damage(all);
    expect(() => checkAll(all)).toThrow(words);
  });

  it('excuses only the runs in progress when the provider was killed', () => {
    const all = perfect();
    Object.assign(record(all, 'exec_1'), { status: 'FAILED', error: { code: 'MODEL_UNAVAILABLE' } });
    const deathAt = (second: number) => [{ from: second * 1000, to: (second + 1) * 1000 }];
    expect(() => expectAllEnded(all.accepted, all.records, deathAt(1.5))).not.toThrow();
    expect(() => expectAllEnded(all.accepted, all.records, deathAt(3))).toThrow();
  });
});
