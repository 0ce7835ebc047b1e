import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** Secrets at rest: AES-256-GCM as `<key id>.<base64 of nonce, tag and ciphertext>`. */
export type SealedBox = {
  keyIds: readonly [string, ...string[]];
  seal(plain: string): string;
  /** @throws when the key is unknown or the text was altered */
  open(sealed: string): string;
};

export const keyIdOf = (sealed: string): string => sealed.split('.', 1)[0] ?? '';

/** `id:base64,id:base64`: 32-byte keys; the first one seals, all open. */
export const encryptionKeys = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim().split(':')))
  .pipe(z.array(z.tuple([z.string().regex(/^[\w-]{1,32}$/), z.string()])).min(1))
  .transform((entries) => entries.map(([id, key]) => ({ id, key: Buffer.from(key, 'base64') })))
  .refine(
    (keys) => keys.every(({ key }) => key.length === 32),
    'each key must be 32 bytes in base64, as id:base64',
  )
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'each key needs an id of its own')
  .describe('Keys for secrets at rest, as id:base64 of 32 bytes, comma-separated; the first seals, all open');

export type EncryptionKeys = z.infer<typeof encryptionKeys>;

const nonceBytes = 12;
const tagBytes = 16;

export function createSealedBox(keys: EncryptionKeys): SealedBox {
  const [current, ...others] = keys;
  if (!current) throw new Error('at least one encryption key is needed');
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return {
    keyIds: [current.id, ...others.map(({ id }) => id)],
    seal(plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce);
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${current.id}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')}`;
    },
    open(sealed) {
      const id = keyIdOf(sealed);
      const key = byId.get(id);
      if (!key) throw new Error(`no encryption key with id ${id}: add it to ENCRYPTION_KEYS`);
      const bytes = Buffer.from(sealed.slice(id.length + 1), 'base64');
      // Without a fixed length, a tag cut to 4 bytes would be accepted.
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return (
        decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
      );
    },
  };
}
