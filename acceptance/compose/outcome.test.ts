import { createHmac } from 'node:crypto';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import { expectChargedOnce } from './charged.ts';
import { expectAllEnded, expectAllThere } from './ended.ts';
import { expectAuthentic, expectEvents } from './events.ts';
import type { Accepted } from './load.ts';
import type { ExecutionRecord } from './records.ts';
import { wishOf } from './wishes.ts';

const secret = 'whsec_of_a_test';
const at = (second: number) => new Date(second * 1000).toISOString();

function delivered(body: object): Received {
  const text = JSON.stringify(body);
  const signature = createHmac('sha256', secret).update(`1.${text}`).digest('hex');
  const headers = { 'x-signature-timestamp': '1', 'x-signature': signature };
  return { headers, body: text, path: '/hook', atMs: 0 };
}

/** One of each kind of wish, all fulfilled: a picture, a text, one that fails, one that is cancelled. */
function perfect() {
  const accepted: Accepted = new Map([0, 1, 7, 13].map((index) => [`exec_${index}`, wishOf(index)]));
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

/** What can go wrong, and what the check of it says. */
const breaks: Record<string, [RegExp, (all: ReturnType<typeof perfect>) => void]> = {
  'an execution that is gone': [/accepted and not there/, (all) => void all.records.pop()],
  'an execution nobody was told of': [/never answered/, (all) => void all.accepted.delete('exec_1')],
  'an execution that is stuck': [
    /otherwise than asked/,
    (all) => Object.assign(record(all, 'exec_1'), { status: 'PROCESSING', completed_at: null }),
  ],
  'a run that failed by itself': [
    /otherwise than asked/,
    (all) => Object.assign(record(all, 'exec_1'), { status: 'FAILED', error: { code: 'MODEL_UNAVAILABLE' } }),
  ],
  'a cancelled one that went on': [
    /otherwise than asked/,
    (all) => Object.assign(record(all, 'exec_13'), { status: 'COMPLETED' }),
  ],
  'a charge that was made twice': [/not charged once/, (all) => void (all.charges[1] = 'exec_1 2 0.02')],
  'a charge of another price': [/not charged once/, (all) => void (all.charges[1] = 'exec_1 1 0.02')],
  'a charge for a failure': [/should not have been/, (all) => void all.charges.push('exec_7 1 0.01')],
  'money that is missing': [/is left of 100/, (all) => void (all.available = '99.94')],
  'an event that did not come': [/did not come/, (all) => void all.received.pop()],
  'an ending without an event': [
    /were not told/,
    (all) => {
      all.events.pop();
      all.received.pop();
    },
  ],
  'an event from nowhere': [/nobody made/, (all) => void all.events.pop()],
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

describe('what is checked in the end', () => {
  it('holds when everything went well, and some events came twice', () => {
    const all = perfect();
    all.received.push(...all.received.slice(2));
    expect(() => checkAll(all)).not.toThrow();
  });

  it.each(Object.entries(breaks))('finds %s', (_name, [words, damage]) => {
    const all = perfect();
    damage(all);
    expect(() => checkAll(all)).toThrow(words);
  });

  it('excuses what was under way when the provider died, and nothing else', () => {
    const all = perfect();
    Object.assign(record(all, 'exec_1'), { status: 'FAILED', error: { code: 'MODEL_UNAVAILABLE' } });
    const deathAt = (second: number) => [{ from: second * 1000, to: (second + 1) * 1000 }];
    expect(() => expectAllEnded(all.accepted, all.records, deathAt(1.5))).not.toThrow();
    expect(() => expectAllEnded(all.accepted, all.records, deathAt(3))).toThrow();
  });
});
