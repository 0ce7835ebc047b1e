import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFleet } from '../stack/fleet.ts';

const folder = testFolder('loading');
const fileOf = (service: string) => join(folder, `loaded-${service}`);

/** Appends the URL of each loaded file to a list of its service. */
const hook = `import { appendFileSync } from 'node:fs'; import { registerHooks } from 'node:module';
  const list = ${JSON.stringify(fileOf(''))} + (/services.([^/]+)/.exec(process.argv[1])?.[1] ?? 'other');
  registerHooks({ load(url, context, next) { appendFileSync(list, url + '\\n'); return next(url, context); } });`;

function dependenciesOf(service: string): string[] {
  const urls = readFileSync(fileOf(service), 'utf8').split('\n');
  return [...new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))];
}

let fleet: Awaited<ReturnType<typeof startFleet>>;

beforeAll(async () => {
  fleet = await startFleet(folder, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
  });
}, 120_000);

afterAll(() => fleet.close());

const s3 = /^(minio|@aws-sdk|@smithy)/;
const openTelemetry = /^@opentelemetry\/(?!api$)/;
const prisma = /^@prisma\//;
const fileParsers = /^(file-type|music-metadata|image-size)$/;

describe('a service that starts with files on disk and without a collector', () => {
  it.each(['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'])(
    'loads, as %s, neither the S3 client, the OpenTelemetry SDK, Prisma nor file parsers',
    (service) => {
      const loaded = dependenciesOf(service);
      expect(loaded).toContain('pg');
      const unwanted = loaded.filter((name) =>
        [s3, openTelemetry, prisma, fileParsers].some((pattern) => pattern.test(name)),
      );
      expect(unwanted).toEqual([]);
    },
  );

  it('loads no download client as a dispatcher, and no OpenAPI generator as a gateway', () => {
    expect(dependenciesOf('dispatcher')).not.toContain('got');
    expect(dependenciesOf('api-gateway')).not.toContain('zod-openapi');
  });
});
