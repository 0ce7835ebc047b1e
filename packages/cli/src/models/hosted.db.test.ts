import { resolve } from 'node:path';
import { type FakeFal, startFakeFal } from '@holdfast/providers/fal/testing/fakeFal';
import { type FakeReplicate, startFakeReplicate } from '@holdfast/providers/replicate/testing/fakeReplicate';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast } from '../testing/holdfast.ts';

let replicate: FakeReplicate;
let fal: FakeFal;

beforeEach(async () => {
  [replicate, fal] = await Promise.all([startFakeReplicate(), startFakeFal()]);
});
afterEach(async () => {
  await Promise.all([replicate.close(), fal.close()]);
});

const folder = resolve(import.meta.dirname, '../../../../models');

/** Runs a model of the catalogue as its file says. */
const test = (slug: string, more: string[] = [], env: NodeJS.ProcessEnv = {}, signal?: AbortSignal) =>
  holdfast(
    ['models', 'test', slug, '--models', folder, ...more],
    {
      REPLICATE_BASE_URL: replicate.baseUrl,
      REPLICATE_API_TOKEN: replicate.apiKey,
      FAL_BASE_URL: fal.baseUrl,
      FAL_KEY: fal.apiKey,
      ...env,
    },
    signal,
  );

describe('a model of a hosted provider', () => {
  it('is polled at Replicate, without a callback', async () => {
    const { code, stdout, stderr } = await test('flux-schnell');
    const [id = ''] = replicate.accepted();
    expect([code, replicate.accepted().length]).toEqual([0, 1]);
    expect(stderr).toContain(`accepted as ${id}\n`);
    expect(stderr).toContain('  | Using seed: 42\n');
    expect(stdout).toMatch(/^outcome +success$/m);
    expect(stdout).toContain('/files/1.png');
    expect(replicate.run(id).body).not.toHaveProperty('webhook');
  });

  it('is polled at fal, and at its other provider if that is selected', async () => {
    expect((await test('flux-dev')).code).toBe(0);
    expect([fal.accepted().length, replicate.accepted().length]).toEqual([1, 0]);
    expect((await test('flux-dev', ['--provider', 'replicate'])).code).toBe(0);
    expect([fal.accepted().length, replicate.accepted().length]).toEqual([1, 1]);
  });

  it('goes to the provider whose key is set', async () => {
    expect((await test('flux-dev', [], { FAL_KEY: '', FAL_BASE_URL: '' })).code).toBe(0);
    expect([fal.accepted().length, replicate.accepted().length]).toEqual([0, 1]);
  });

  it("prints the provider's error when the run fails", async () => {
    replicate.plan({ ends: { status: 'failed', error: 'CUDA out of memory', output: null } });
    const { code, stdout } = await test('flux-schnell');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^outcome +GENERATION_FAILED$/m);
    expect(stdout).toMatch(/^raw .*CUDA out of memory/m);
  });

  it('cannot be tested with a wrong key, and the operator reads why', async () => {
    const { code, stdout } = await test('flux-schnell', [], { REPLICATE_API_TOKEN: 'r8_wrong' });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^operator +\S/m);
    expect(stdout).not.toContain('r8_wrong');
  });

  it('is cancelled at the provider when the command is interrupted', async () => {
    replicate.plan({ endsAfterMs: null });
    const interrupt = new AbortController();
    const ending = test('flux-schnell', [], {}, interrupt.signal);
    const id = await until('it was asked about', () =>
      replicate.received.some(({ method }) => method === 'GET') ? replicate.accepted()[0] : null,
    );
    interrupt.abort();
    const { code, stdout } = await ending;
    expect([code, replicate.run(id).state]).toEqual([1, 'canceled']);
    expect(stdout).toContain('interrupted; cancelled at the provider');
  });
});
