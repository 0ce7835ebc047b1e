import { randomUUID } from 'node:crypto';
import { describe, it } from '@jest/globals';
import { describeObjectStore } from '../testing/storeContract.ts';
import { createS3Store } from './s3Store.ts';

const { S3_TEST_ENDPOINT: endpoint, S3_TEST_ACCESS_KEY, S3_TEST_SECRET_KEY } = process.env;
const { S3_TEST_RANGES, S3_TEST_REQUIRED } = process.env;

async function openS3(url: string) {
  const store = createS3Store({
    endpoint: url,
    publicEndpoint: url,
    region: 'us-east-1',
    bucket: `holdfast-${randomUUID()}`,
    accessKey: S3_TEST_ACCESS_KEY ?? '',
    secretKey: S3_TEST_SECRET_KEY ?? '',
  });
  return { store, close: async () => {} };
}

if (endpoint) {
  // radosgw on SQLite responds to a Range with the right headers and the wrong bytes (to curl, too): S3_TEST_RANGES=false
  // there. s3Store.test.ts checks our requests.
  describeObjectStore('s3', () => openS3(endpoint), { ranges: S3_TEST_RANGES !== 'false' });
} else if (S3_TEST_REQUIRED === 'true') {
  throw new Error('S3_TEST_REQUIRED is set, S3_TEST_ENDPOINT is not: the contract on S3 would be skipped');
} else {
  describe('object store: s3', () => {
    it.skip('runs when S3_TEST_ENDPOINT is set', () => {});
  });
}
