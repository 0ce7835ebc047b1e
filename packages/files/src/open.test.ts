import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { diskSettings, fileStoreConfig, fileStoreProblems } from './config.ts';
import { openStore } from './open.ts';

const FileStoreConfig = z.object(fileStoreConfig);

const disk = {
  FILE_DISK_PATH: '/data',
  FILE_URL_SECRET: 'a secret of sixteen',
  PUBLIC_URL: 'http://localhost:8080',
};
const s3 = { S3_ENDPOINT: 'http://s3:9000', S3_BUCKET: 'files', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' };

describe('openStore', () => {
  it('opens the disk by default', async () => {
    const config = FileStoreConfig.parse(disk);
    expect(diskSettings(config)).toEqual({
      path: '/data',
      urlSecrets: [disk.FILE_URL_SECRET],
      publicUrl: disk.PUBLIC_URL,
    });
    expect(await openStore(config)).toBeDefined();
  });

  it('presigns S3 URLs with the public endpoint', async () => {
    const config = FileStoreConfig.parse({
      FILE_STORE: 's3',
      ...s3,
      S3_PUBLIC_ENDPOINT: 'https://files.example',
    });
    expect(diskSettings(config)).toBeNull();
    const terms = { key: 'a/b', contentType: null, sizeBytes: null, expiresInS: 60 };
    const url = await (await openStore(config)).presignUpload(terms);
    expect(url.startsWith('https://files.example/files/a/b?')).toBe(true);
  });

  it('lists every missing setting', async () => {
    const missing = fileStoreProblems({ FILE_STORE: 's3', S3_BUCKET: 'b' }).map((line) => line.split(' ')[0]);
    expect(missing).toEqual(['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY']);
    expect(fileStoreProblems(disk)).toEqual([]);
    await expect(openStore({ FILE_STORE: 'disk', S3_REGION: 'us-east-1', S3_STYLE: 'path' })).rejects.toThrow(
      'FILE_DISK_PATH is needed',
    );
  });
});
