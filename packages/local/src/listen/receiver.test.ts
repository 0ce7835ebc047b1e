import { newWebhookSecret, signatureHeaders, signingKeys } from '@holdfast/domain/webhookSignature';
import { until } from '@holdfast/testkit/until';
import { afterEach, expect, it } from '@jest/globals';
import { parseListenFlags } from './flags.ts';
import type { Delivered } from './line.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const secret = newWebhookSecret();
const body = '{"id":"evt_1","type":"execution.completed"}';
const shown: Delivered[] = [];
let receiver: Receiver | undefined;

afterEach(() => {
  receiver?.close();
  shown.length = 0;
});

const start = async (...args: string[]) => {
  receiver = await startReceiver(0, parseListenFlags(args), (delivered) => shown.push(delivered));
  return receiver;
};

function deliver(url: string, signal?: AbortSignal): Promise<Response> {
  const timestampS = Math.floor(Date.now() / 1000);
  const signers = { current: signingKeys(secret), previous: null, isPreviousPrimary: false };
  const headers = signatureHeaders({ signers, eventId: 'evt_1', timestampS, body });
  return fetch(url, { method: 'POST', headers, body, ...(signal && { signal }) });
}

it('a receiver recognizes a duplicate', async () => {
  const { url, setSecret } = await start();
  setSecret(secret);
  expect((await deliver(url)).status).toBe(200);
  expect((await deliver(url)).status).toBe(200);
  expect(shown.map(({ before }) => before)).toEqual([
    { times: 0, wasTaken: false },
    { times: 1, wasTaken: true },
  ]);
});

it('a receiver reports a sender that no longer waits for the response, and does not count it', async () => {
  const { url, setSecret } = await start('--slow', '2');
  setSecret(secret);
  await expect(deliver(url, AbortSignal.timeout(1000))).rejects.toThrow();
  await until('it is shown', () => shown.length === 1);
  expect(shown[0]?.remark).toContain('too late');
  await deliver(url);
  expect(shown[1]).toMatchObject({ before: { times: 1, wasTaken: false }, remark: null });
});
