import { readTest, requestTest } from '@holdfast/db/alerts';
import { openDatabase } from '@holdfast/db/client';
import { parseConfig } from '@holdfast/kit/config';
import { createLogger } from '@holdfast/kit/logger';
import type { QueueDepth } from '@holdfast/queues/depth';
import { asRole, createTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Alerting, lookForAlerts, sendAlerts } from './alerts.ts';
import { alertConfig, alertProblems } from './config.ts';
import { type Content, mailOf } from './content.ts';

const database = await createTestDatabase();
const open = (url: string) => openDatabase({ url, poolSize: 4, applicationName: 'test' });
const owner = open(database.url);
/** With the rights of the service. */
const db = open(asRole(database.url, 'holdfast_webhook_sender'));

let paused: string[] | null;
let sent: { receiver: string; content: Content; id: string }[];
let refusal: string | null;

const depth = (queue: string): QueueDepth => ({
  queue,
  waiting: 0,
  active: 0,
  delayed: 0,
  failed: 0,
  isPaused: true,
  oldestWaitingMs: null,
  foreignKeys: [],
});
const receiver =
  (name: string) =>
  async ({ id, content }: { id: string; content: Content }) => {
    if (refusal === null) sent.push({ receiver: name, id, content });
    return refusal;
  };
const alerting: Alerting = {
  db,
  queues: {
    depths: async () => {
      if (paused === null) throw new Error('Redis is away');
      return paused.map(depth);
    },
    openCircuits: async () => new Map(),
  },
  receivers: new Map(['email', 'webhook:1'].map((name) => [name, receiver(name)])),
  config: { ...parseConfig(alertConfig, {}), PUBLIC_URL: 'https://api.example.com/' },
  log: createLogger('test', 'silent'),
};

beforeEach(async () => {
  [paused, sent, refusal] = [[], [], null];
  await owner.pool.query('TRUNCATE alerts, alert_messages');
});
afterAll(async () => {
  await Promise.all([db.close(), owner.close()]);
  await database.drop();
});

/** Moves every time into the past. */
async function pass(seconds: number): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - interval '${seconds} seconds'`;
  await owner.pool.query(`UPDATE alerts SET ${earlier('found_at')}, ${earlier('missing_at')}`);
  await owner.pool.query(`UPDATE alert_messages SET ${earlier('next_attempt_at')}`);
}

/** By two processes at once. */
async function look(): Promise<void> {
  await Promise.all([lookForAlerts(alerting), lookForAlerts(alerting)]);
  await Promise.all([sendAlerts(alerting), sendAlerts(alerting)]);
}

const codes = (of: 'raised' | 'resolved') =>
  sent.map(({ content }) => content[of].map(({ code, subject }) => `${code} ${subject ?? ''}`.trim()));

async function raise(queues: string[] | null): Promise<void> {
  paused = queues;
  await look();
  await pass(61);
  await look();
}

describe('alerts', () => {
  it('are sent once to each receiver, as one message, and once more when they are resolved', async () => {
    paused = ['settle', 'dispatch'];
    await look();
    expect(sent).toEqual([]);
    await pass(61);
    for (let times = 0; times < 3; times++) await look();
    expect(sent.map((message) => message.receiver).toSorted()).toEqual(['email', 'webhook:1']);
    expect(codes('raised')).toEqual(
      Array.from({ length: 2 }, () => ['queue_paused settle', 'queue_paused dispatch']),
    );
    expect(sent[0]?.content.raised[0]).toMatchObject({
      severity: 'page',
      message: 'The queue settle is paused',
      runbook_url: 'https://api.example.com/docs/operate/alerts/HoldfastQueueStuck',
    });
    sent = [];
    paused = ['settle'];
    await look();
    await pass(301);
    for (let times = 0; times < 3; times++) await look();
    expect(codes('resolved')).toEqual(Array.from({ length: 2 }, () => ['queue_paused dispatch']));
  });

  it('stay one while they come and go, and are never sent for what ends at once', async () => {
    await raise(['settle']);
    sent = [];
    for (const queues of [[], ['settle'], [], ['settle'], ['dispatch'], ['settle']]) {
      paused = queues;
      await look();
      await pass(50);
    }
    expect(sent).toEqual([]);
  });

  it('about queues stay open while Redis is away, which is an alert of its own', async () => {
    await raise(['settle']);
    sent = [];
    await raise(null);
    await pass(400);
    await look();
    expect(codes('raised')).toEqual(Array.from({ length: 2 }, () => ['redis_unavailable']));
    expect(codes('resolved')).toEqual([[], []]);
  });

  it('are sent again with the same id until the receiver takes them', async () => {
    refusal = 'responded with 503';
    await raise(['settle']);
    const read = 'SELECT id, attempts, error, sent_at IS NULL AS open FROM alert_messages ORDER BY id';
    const before = (await owner.pool.query(read)).rows;
    expect(before).toMatchObject(
      Array.from({ length: 2 }, () => ({ attempts: 1, error: refusal, open: true })),
    );
    refusal = null;
    await look();
    expect(sent).toEqual([]);
    await pass(11);
    await look();
    expect(sent.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id));
  });

  it('are sent by another process when the one that claimed them dies', async () => {
    paused = ['settle'];
    await look();
    await pass(61);
    await lookForAlerts(alerting);
    // Claimed, and neither sent nor recorded.
    await owner.pool.query(
      "UPDATE alert_messages SET attempts = 1, next_attempt_at = now() + interval '2 minutes'",
    );
    await look();
    expect(sent).toEqual([]);
    await pass(121);
    await look();
    expect(sent).toHaveLength(2);
  });

  it('for a test reach each receiver once, and say which refused', async () => {
    const test = await requestTest(owner);
    await look();
    expect(sent).toHaveLength(2);
    refusal = 'dns: not found';
    const other = await requestTest(owner);
    await look();
    await look();
    const all = { isSent: true, attempts: 1, error: null };
    expect(await readTest(owner, test)).toMatchObject([all, all]);
    expect(await readTest(owner, other)).toMatchObject([
      { receiver: 'email', isSent: false, attempts: 1, error: refusal },
      { receiver: 'webhook:1', isSent: false, attempts: 1, error: refusal },
    ]);
  });
});

it('the mail names the most urgent first, and what to do', async () => {
  await raise(['settle', 'dispatch']);
  const { id, content } = sent[0] ?? { id: '', content: { raised: [], resolved: [] } };
  const mail = mailOf({ id, testId: null, content });
  expect(mail.subject).toBe('[Holdfast] Urgent: The queue settle is paused (and 1 more)');
  expect(mail.text).toMatch(
    /- Urgent: The queue settle is paused\n {2}since \S+, what to do: https:\S+HoldfastQueueStuck\n/,
  );
});

it('the settings report every problem at once, and no secret', () => {
  const env = {
    ALERT_WEBHOOK_URLS: 'https://a.example/secret, ftp://b/secret',
    ALERT_WEBHOOK_SECRET: 'whsec_secret',
    ALERT_EMAIL_TO: 'ops@example.com, nobody',
    ALERT_EMAIL_FROM: 'Holdfast',
    SMTP_URL: 'https://user:secret@smtp.example.com',
  };
  const read = (given: NodeJS.ProcessEnv) => () => parseConfig(alertConfig, given, [alertProblems]);
  expect(read(env)).toThrow(
    /ALERT_WEBHOOK_URLS: [^]+ALERT_WEBHOOK_SECRET: [^]+ALERT_EMAIL_TO: [^]+ALERT_EMAIL_FROM: [^]+SMTP_URL: /,
  );
  expect(read(env)).not.toThrow(/\/secret|secret@|whsec_secret/);
  expect(read({ ALERT_WEBHOOK_URLS: 'https://a.example', ALERT_EMAIL_TO: 'a@b.example' })).toThrow(
    /ALERT_WEBHOOK_SECRET is not set: [^]+ALERT_EMAIL_FROM is not set: [^]+SMTP_URL is not set: /,
  );
});
