import { servicePort } from '@holdfast/local/launch/ports';
import { until } from '@holdfast/testkit/until';
import { describe, it } from '@jest/globals';
import { create, readExecution } from '../stack/executions.ts';
import { startStack } from '../stack/stack.ts';

describe('while the file store is unavailable', () => {
  it('every service starts, and executions without files run', async () => {
    const stack = await startStack({
      FILE_STORE: 's3',
      S3_ENDPOINT: `http://127.0.0.1:${await servicePort()}`,
      S3_BUCKET: 'files',
      S3_ACCESS_KEY: 'anybody',
      S3_SECRET_KEY: 'a secret for the tests',
    });
    try {
      const { api } = await stack.newCustomer();
      const id = await create(api, 'sandbox-text', { prompt: 'Hello' });
      await until('it has ended', async () => (await readExecution(api, id)).status === 'COMPLETED');
    } finally {
      await stack.close();
    }
  });
});
