import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '@holdfast/db/client';
import { countSecrets, replaceSealed } from '@holdfast/db/secrets';
import { getWebhookSecret, rotateWebhookSecret } from '@holdfast/db/webhooks/secrets';
import { createSealedBox, encryptionKeys } from '@holdfast/kit/sealedBox';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast } from '../testing/holdfast.ts';

let url: string;
let db: Database;
let close: () => Promise<void>;

beforeEach(async () => {
  ({ db, url, close } = await openTestDatabase(4));
});
afterEach(() => close());

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const boxOf = (keys: string) => createSealedBox(encryptionKeys.parse(keys));
const [older, newer] = [entry('old'), entry('new')];
const [oldBox, newBox] = [boxOf(older), boxOf(newer)];

const reencrypt = (keys = `${newer},${older}`, ...flags: string[]) =>
  holdfast(['secrets', 'reencrypt', ...flags], { DATABASE_URL: url, ENCRYPTION_KEYS: keys });

async function addOrganization(sealed: string): Promise<string> {
  const id = `org_${randomUUID()}`;
  await db.pool.query(`INSERT INTO organizations (id, name, webhook_secret) VALUES ($1, 'test', $2)`, [
    id,
    sealed,
  ]);
  return id;
}

/** The endpoint has everything sealed that one can have; its previous secret is valid for `previousForS`. */
async function addEndpoint(organizationId: string, fields: { previousForS: number; isDeleted?: boolean }) {
  const id = `wh_${randomUUID()}`;
  const sealed = ['endpoint', 'before', '{"X-Token":"t"}'].map(oldBox.seal);
  await db.pool.query(
    `INSERT INTO webhook_endpoints (id, organization_id, url, secret, previous_secret, headers, previous_secret_until,
       deleted_at)
     VALUES ($1, $2, 'https://example.com', $3, $4, $5, now() + $6 * interval '1 second',
       CASE WHEN $7 THEN now() END)`,
    [id, organizationId, ...sealed, fields.previousForS, fields.isDeleted ?? false],
  );
  return async () => {
    const { rows } = await db.pool.query<{ secret: string; previous: string | null; headers: string | null }>(
      'SELECT secret, previous_secret AS previous, headers FROM webhook_endpoints WHERE id = $1',
      [id],
    );
    return rows[0];
  };
}

const counts = async () => Object.fromEntries(await countSecrets(db));

describe('holdfast secrets reencrypt', () => {
  it('seals everything with the first key, so that no secret needs the other', async () => {
    const organization = await addOrganization(oldBox.seal('mine'));
    await db.pool.query(
      `UPDATE organizations SET previous_webhook_secret = $1, previous_webhook_secret_until = now() + interval '1 hour'`,
      [oldBox.seal('mine before')],
    );
    const endpoint = await addEndpoint(organization, { previousForS: 3600 });
    await addOrganization(newBox.seal('already'));
    expect(await counts()).toEqual({ old: 5, new: 1 });

    const { code, stdout, stderr } = await reencrypt();
    expect([code, stdout]).toEqual([
      0,
      'new: 6, the sealing key\nold: 0\nEvery secret is sealed with new: old can be removed.\n',
    ]);
    expect(stderr).toContain('webhook_endpoints.headers: 1 resealed\n');
    const kept = await endpoint();
    expect(newBox.open((await getWebhookSecret(db, organization)).sealedSecret)).toBe('mine');
    expect([kept?.secret, kept?.previous, kept?.headers].map((sealed) => newBox.open(sealed ?? ''))).toEqual([
      'endpoint',
      'before',
      '{"X-Token":"t"}',
    ]);
    expect((await reencrypt(newer)).stdout).toContain('Every secret is sealed with new.\n');
  });

  it('erases secrets that are no longer needed: expired ones, and those of deleted endpoints', async () => {
    const organization = await addOrganization(newBox.seal('mine'));
    const ended = await addEndpoint(organization, { previousForS: -1 });
    const deleted = await addEndpoint(organization, { previousForS: 3600, isDeleted: true });
    expect(await reencrypt()).toMatchObject({ code: 0 });
    expect(await ended()).toMatchObject({ previous: null, secret: expect.stringMatching(/^new\./) });
    expect(await deleted()).toEqual({ secret: '', previous: null, headers: null });
    expect(await counts()).toEqual({ new: 3 });
  });

  it('reports in a dry run what it would do, and changes nothing', async () => {
    const organization = await addOrganization(oldBox.seal('mine'));
    await addEndpoint(organization, { previousForS: -1, isDeleted: true });
    const { code, stdout } = await reencrypt(undefined, '--dry-run');
    expect([code, stdout.split('\n').at(-2)]).toEqual([
      0,
      '4 would be sealed with new. Nothing was changed.',
    ]);
    expect(await counts()).toEqual({ old: 4 });
  });

  it('processes many secrets page by page', async () => {
    const sealed = oldBox.seal('mine');
    await db.pool.query(
      `INSERT INTO organizations (id, name, webhook_secret) SELECT 'org_' || n, 'n', $1 FROM generate_series(1, 1100) n`,
      [sealed],
    );
    const { code, stderr } = await reencrypt();
    expect([code, stderr.match(/organizations.webhook_secret: \d+/g)]).toEqual([
      0,
      [500, 1000, 1100].map((rows) => `organizations.webhook_secret: ${rows}`),
    ]);
    expect(await counts()).toEqual({ new: 1100 });
  });

  it('fails while secrets remain that are sealed with an unknown key or cannot be opened', async () => {
    const damaged = await addOrganization(boxOf(entry('old')).seal('another key of that id'));
    await addOrganization(boxOf(entry('lost')).seal('lost'));
    await addOrganization(oldBox.seal('mine'));
    const { code, stdout } = await reencrypt();
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      `organizations.webhook_secret of ${damaged} can't be opened: its key is another one, or it was changed`,
      'new: 1, the sealing key',
      'old: 1',
      'lost: 1, not in ENCRYPTION_KEYS',
      '2 secrets are not sealed with new yet. Make new the first key of every service, then run this again.',
      '',
    ]);
  });

  it('does not overwrite a secret that is rotated meanwhile', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => addOrganization(oldBox.seal('first'))));
    const run = reencrypt();
    const isOver = run.then(() => true);
    const last = new Map<string, string>();
    for (let n = 0; !(await Promise.race([isOver, Promise.resolve(false)])); n++) {
      const id = ids[n % ids.length] ?? '';
      const sealedSecret = newBox.seal(`rotated ${n}`);
      await rotateWebhookSecret(db, id, { sealedSecret, overlapMs: 3_600_000, keepsPrimary: false });
      last.set(id, `rotated ${n}`);
      await new Promise(setImmediate);
    }
    expect(await run).toMatchObject({ code: 0 });
    for (const id of ids) {
      const { sealedSecret } = await getWebhookSecret(db, id);
      expect(newBox.open(sealedSecret)).toBe(last.get(id) ?? 'first');
    }
    expect(Object.keys(await counts())).toEqual(['new']);
  });

  it('skips a secret that has changed since it was read', async () => {
    const sealed = oldBox.seal('read');
    const [same, changed] = [await addOrganization(sealed), await addOrganization(oldBox.seal('changed'))];
    const rows = [same, changed].map((id) => ({ id, sealed, resealed: newBox.seal('read') }));
    const column = { table: 'organizations', column: 'webhook_secret' } as const;
    expect(await replaceSealed(db, column, rows)).toBe(1);
    expect(oldBox.open((await getWebhookSecret(db, changed)).sealedSecret)).toBe('changed');
    expect(newBox.open((await getWebhookSecret(db, same)).sealedSecret)).toBe('read');
  });

  it('uses the keys of npm start by default', async () => {
    await addOrganization(oldBox.seal('mine'));
    const home = testFolder('cli');
    writeFileSync(join(home, 'secrets.json'), JSON.stringify({ encryptionKeys: `${newer},${older}` }));
    const env = { DATABASE_URL: url, HOLDFAST_HOME: home, ENCRYPTION_KEYS: '' };
    expect(await holdfast(['secrets', 'reencrypt'], env)).toMatchObject({ code: 0 });
    expect(await counts()).toEqual({ new: 1 });
  });

  it('requires valid keys, and does not print them', async () => {
    expect(await reencrypt('')).toMatchObject({ code: 3, stdout: '' });
    const { code, stderr } = await reencrypt('k1:beef');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^holdfast: ENCRYPTION_KEYS must be a list [^\n]+\n$/);
    expect(stderr).not.toContain('beef');
  });
});
