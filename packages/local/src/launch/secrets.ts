import { randomBytes } from 'node:crypto';
import { LaunchError } from './launchError.ts';
import { readJson, writePrivateJson } from './privateFile.ts';

/** What a home keeps between starts. `apiKey` is the demo organization's, which is shown again at each start. */
export type Secrets = {
  encryptionKeys: string;
  fileUrlSecret: string;
  adminToken: string;
  apiKey?: string;
};

function freshSecrets(): Secrets {
  return {
    encryptionKeys: `local:${randomBytes(32).toString('base64')}`,
    fileUrlSecret: randomBytes(32).toString('base64url'),
    adminToken: randomBytes(32).toString('base64url'),
  };
}

function isSecrets(value: unknown): value is Secrets {
  if (typeof value !== 'object' || value === null) return false;
  const { encryptionKeys, fileUrlSecret, adminToken } = value as Partial<Record<keyof Secrets, unknown>>;
  return [encryptionKeys, fileUrlSecret, adminToken].every((text) => typeof text === 'string' && text !== '');
}

function damaged(path: string): LaunchError {
  return new LaunchError(
    `${path} is damaged: restore it, or remove its whole folder to start with fresh data.`,
  );
}

/** The secrets kept at `path`, made and written (mode 600) at the first start. */
export function loadSecrets(path: string): Secrets {
  let kept: unknown;
  try {
    kept = readJson(path);
  } catch {
    throw damaged(path);
  }
  if (kept === undefined) {
    const secrets = freshSecrets();
    writePrivateJson(path, secrets);
    return secrets;
  }
  if (!isSecrets(kept)) throw damaged(path);
  return kept;
}
