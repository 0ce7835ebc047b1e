import type { ServerResponse } from 'node:http';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create, readExecution, untilStatus } from '../../stack/executions.ts';
import { startFront } from './front.ts';
import { type Hosted, startHosted } from './hosted.ts';
import { expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, painter } from './models.ts';

type Fault = (response: ServerResponse) => unknown;

const page = '<html><h1>It works!</h1></html>';
const faults: Record<string, Fault> = {
  'a page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
  'half a body': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{"id":"', () => response.destroy());
  },
  'a reset': (response) => response.socket?.resetAndDestroy(),
  'another JSON': (response) => response.writeHead(200).end('{"hello":"replicate"}'),
  '429': (response) => response.writeHead(429, { 'retry-after': '1' }).end('{}'),
  '500': (response) => response.writeHead(500).end(page),
  '401': (response) => response.writeHead(401).end('{"detail":"who are you"}'),
  silence: () => {},
};

let hosted: Hosted;
let customer: Customer;
let front: Awaited<ReturnType<typeof startFront>>;
/** The response to polls; null: the real one. */
let fault: Fault | null = null;
let polls = 0;

beforeAll(async () => {
  front = await startFront((request, response) => {
    if (fault === null || request.method !== 'GET') return false;
    polls += 1;
    fault(response);
    return true;
  });
  const environment = { REPLICATE_BASE_URL: `${front.origin}/v1` };
  hosted = await startHosted([painter('painting-one', [at.replicate('poll')])], environment);
  front.forwardTo(hosted.replicate.baseUrl);
});
afterAll(async () => {
  await hosted.close();
  await front.close();
});
beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
  [fault, polls] = [null, 0];
});

describe('a poll', () => {
  it.each(Object.keys(faults))(
    'with the response %s is repeated, and the run continues and ends once',
    async (kind) => {
      const ends = { output: [`${front.origin}/v1/files/1.png`] };
      hosted.replicate.plan({ endsAfterMs: 10, callsBack: false, ends });
      const before = hosted.replicate.accepted().length;
      fault = faults[kind] ?? null;
      const id = await create(customer.api, 'painting-one', { prompt: 'a' });
      await until('it is polled', () => polls > 0);
      expect((await readExecution(customer.api, id)).status).toBe('PROCESSING');
      fault = null;
      const read = () => readExecution(customer.api, id);
      await until('it has ended', async () => (await read()).cost !== null || (await read()).error, 45_000);
      expect(await read()).toMatchObject({ status: 'COMPLETED' });
      await expectEndedOnce(hosted.stack, customer, id);
      expect(hosted.replicate.accepted()).toHaveLength(before + 1);
    },
  );

  it('for a run that the provider does not know ends the execution', async () => {
    hosted.replicate.plan({ endsAfterMs: null, callsBack: false });
    fault = (response) => response.writeHead(404).end('{"detail":"replicate knows no such run"}');
    const id = await create(customer.api, 'painting-one', { prompt: 'a' });
    expect((await untilStatus(customer.api, id, 'FAILED')).error?.code).toBe('GENERATION_FAILED');
    await expectEndedOnce(hosted.stack, customer, id);
  });
});
