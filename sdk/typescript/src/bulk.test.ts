import { afterEach, describe, expect, it } from '@jest/globals';
import { cut, json, refusal, type Step, startScriptedServer } from './testing/scriptedServer.ts';

let server: Awaited<ReturnType<typeof startScriptedServer>>;
const start = async (...steps: Step[]) => {
  server = await startScriptedServer(...steps);
  return server.client();
};
afterEach(() => server.close());

const bodies = () => server.received.map(({ body }) => JSON.parse(body));
const keys = () => new Set(server.received.map(({ headers }) => headers['idempotency-key']));
const rerun = (id: string, next_cursor: string | null) =>
  json(200, {
    matched: 2,
    created: 1,
    replayed: 1,
    executions: [{ id, rerun_of: 'exec_0' }],
    skipped: [],
    has_more: next_cursor !== null,
    next_cursor,
  });

describe('a request about many executions', () => {
  it('is sent part by part, each until its response arrives, and its parts are added up', async () => {
    const client = await start(rerun('exec_2', 'exec_b'), cut, rerun('exec_1', null));
    const asked = { filter: { model: 'm' } };
    const running = client.executions.bulkRerun(asked);
    asked.filter.model = 'other';
    expect(await running).toEqual({
      matched: 4,
      created: 2,
      replayed: 2,
      executions: [
        { id: 'exec_2', rerun_of: 'exec_0' },
        { id: 'exec_1', rerun_of: 'exec_0' },
      ],
      skipped: [],
      has_more: false,
      next_cursor: null,
    });
    const filter = { model: 'm' };
    expect(bodies()).toEqual([{ filter }, { filter, cursor: 'exec_b' }, { filter, cursor: 'exec_b' }]);
    expect(keys()).toEqual(new Set([expect.any(String)]));
  });

  it('has its key in the error that ends it', async () => {
    const client = await start(rerun('exec_2', 'exec_b'), refusal(402, 'INSUFFICIENT_BALANCE', false));
    const running = client.executions.bulkRerun({ filter: { model: 'm' } }, { idempotencyKey: 'night' });
    await expect(running).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE', idempotencyKey: 'night' });
  });

  it('ends when a cursor repeats, and a cancel has no key', async () => {
    const client = await start(json(200, { matched: 1, cancelled: 1, has_more: true, next_cursor: 'a' }));
    const ended = await client.executions.bulkCancel({ filter: { model: 'm' }, dry_run: true });
    expect(ended).toMatchObject({ matched: 2, cancelled: 2, has_more: false });
    expect(bodies()[1]).toEqual({ filter: { model: 'm' }, dry_run: true, cursor: 'a' });
    expect(keys()).toEqual(new Set([undefined]));
  });
});
