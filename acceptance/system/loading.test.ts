import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { closing } from '@holdfast/testkit/closing';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { describe, expect, it } from '@jest/globals';
import { startFleet } from '../stack/fleet.ts';

const root = resolve(import.meta.dirname, '../..');
const services = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'];
const folder = testFolder('loading');
const fileOf = (service: string) => join(folder, `loaded-${service}`);

/** Appends the URL of each loaded file to a list of its service. */
const hook = `import { appendFileSync } from 'node:fs'; import { registerHooks } from 'node:module';
  const list = ${JSON.stringify(fileOf(''))} + (/services.([^/]+)/.exec(process.argv[1])?.[1] ?? 'others');
  registerHooks({ load(url, context, next) { appendFileSync(list, url + '\\n'); return next(url, context); } });`;

const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`;
const loadedBy = (program: string) => readFileSync(fileOf(program), 'utf8').split('\n');

function dependenciesOf(service: string): string[] {
  return [
    ...new Set(
      loadedBy(service).flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []),
    ),
  ];
}

closing(await startFleet(folder, { NODE_OPTIONS }));

const s3 = /^(minio|@aws-sdk|@smithy)/;
const openTelemetry = /^@opentelemetry\/(?!api$)/;
const prisma = /^@prisma\//;
const fileParsers = /^(file-type|mediabunny)$/;

describe('a service that starts with files on disk and without a collector', () => {
  it.each(services)(
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

  it('compiles nothing that is not compiled before it starts', async () => {
    const env = { ...process.env, NODE_OPTIONS };
    await outputOf(process.execPath, ['deploy/image/compile.mjs'], { cwd: root, env });
    const compiled = new Set(loadedBy('others'));
    const loaded = services.flatMap(loadedBy).filter((url) => /^file:.*\.(ts|m?js)$/.test(url));
    expect(loaded.length).toBeGreaterThan(1000);
    expect(loaded.filter((url) => !compiled.has(url))).toEqual([]);
  });

  it('loads no download client as a dispatcher, and no OpenAPI generator as a gateway', () => {
    expect(dependenciesOf('dispatcher')).not.toContain('got');
    expect(dependenciesOf('api-gateway')).not.toContain('zod-openapi');
  });
});
