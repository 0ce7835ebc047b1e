import { type AddressInfo, createServer } from 'node:net';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { startFakeCog } from '@holdfast/providers/cog/testing/fakeCog';
import { startFakeFal } from '@holdfast/providers/fal/testing/fakeFal';
import { startFakeReplicate } from '@holdfast/providers/replicate/testing/fakeReplicate';
import { closing } from '@holdfast/testkit/closing';
import { stackOfTests } from '../../stack/stackOfTests.ts';

export type Hosted = Awaited<ReturnType<typeof startHosted>>;

type Fake = { baseUrl: string; apiKey: string | null; settings: Record<string, string> };

/** The whole system with fakes of Replicate, fal, and two Cog containers, `first` and `second`, for all tests of a file. */
export async function startHosted(
  models: ModelFile[],
  environment: Record<string, string> = {},
  logLine?: (line: string) => void,
) {
  const [replicate, fal, first, second] = await Promise.all([
    startFakeReplicate(),
    startFakeFal(),
    startFakeCog(),
    startFakeCog(),
  ]);
  const fakes = { replicate, fal, first, second };
  for (const fake of Object.values(fakes)) closing(fake);
  const connections = Object.entries(fakes).map(([name, fake]) => connectionOf(name.toUpperCase(), fake));
  const stack = await stackOfTests(
    Object.assign({}, ...connections, environment) as Record<string, string>,
    models,
    logLine,
  );
  return { ...fakes, stack };
}

function connectionOf(name: string, { baseUrl, apiKey, settings }: Fake): Record<string, string> {
  const key = apiKey === null ? {} : { [`${name}_API_KEY`]: apiKey };
  return { [`${name}_BASE_URL`]: baseUrl, ...key, ...settingsOf(name, settings) };
}

/** Settings of a connection as the environment has them. */
export function settingsOf(name: string, settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${name}_${key}`, value]));
}

/** A base URL whose port refuses connections. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
