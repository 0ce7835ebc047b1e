import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { crc32, deflateSync } from 'node:zlib';
import { apiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { accounted, type Bench, create, type Figures, type Part, untilDelivered } from '../bench.ts';
import { systemCpu } from '../cpu.ts';
import { expectStatus } from '../organizations.ts';
import { addBenchModels, benchModels, outputBytes, prose } from '../provider.ts';
import { round } from '../statistics.ts';

const clients = 16;
const inputBytes = 250_000;
/** Sides of images of noise, which take three bytes a pixel. */
const [sourceSide, outputSide] = [520, 450];

const bodyOf = (model: string, input: object) => JSON.stringify({ model, input });

/** The largest that executions hold themselves, and images, which are files. */
export const large: Part = {
  about: 'executions with a text of 1 MB as output, of 250 KB as input, and with images of 0.8 and 0.6 MB',
  async run(bench) {
    await addBenchModels(bench.db);
    const api = apiClient(bench.state.base_url, bench.apiKey);
    await until('the models of the bench', async () => {
      const { status } = await api.get(`/v1/models/${benchModels.short}`);
      return status === 200;
    });
    const figures: Figures = {};
    const measure = async (name: string, count: number, body: string) => {
      const delivered = async (count: number) => {
        const created = await create(bench, { clients, count, body });
        const arrivals = await untilDelivered(bench, created);
        return { created, endMs: Math.max(...arrivals.map(({ atMs }) => atMs)) };
      };
      await delivered(count / 4);
      let endMs = 0;
      const all = await accounted(bench, name, async () => {
        const run = await delivered(count);
        endMs = run.endMs;
        return run.created;
      });
      const startMs = Math.min(...all.map(({ sentAtMs }) => sentAtMs));
      const times = bench.cpu[name] ?? {};
      figures[`${name}_per_s`] = round(all.length / ((endMs - startMs) / 1000));
      figures[`${name}_cpu_ms`] = round(systemCpu(times).ms);
      figures[`${name}_services_cpu_ms`] = round((times['api-gateway'] ?? 0) + (times['dispatcher'] ?? 0));
      figures[`${name}_memory_mib`] = bench.memory[name]?.['total'] ?? Number.NaN;
      return all;
    };
    const outputs = await measure('large_output', 160, bodyOf(benchModels.long, {}));
    await readAll(
      bench,
      outputs.map(({ id }) => id),
      figures,
    );
    await measure('large_input', 320, bodyOf(benchModels.short, { prompt: prose(inputBytes) }));
    const source = await upload(bench);
    await measure('large_image', 160, bodyOf('image-transform', { source_image: source, width: outputSide }));
    return figures;
  },
};

async function readAll(bench: Bench, ids: string[], figures: Figures): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const headers = { Authorization: `Bearer ${bench.apiKey}` };
  const read = async (id: string) => {
    const body = await new Promise<string>((resolve, reject) => {
      const url = `${bench.state.base_url}/v1/executions/${id}`;
      request(url, { agent, headers }, (response) => resolve(text(response)))
        .on('error', reject)
        .end();
    });
    if (body.length < outputBytes) throw new Error(`a large output has ${body.length} characters`);
    return id;
  };
  await accounted(bench, 'large_read', () => Promise.all(ids.map(read)));
  agent.destroy();
  figures['large_read_cpu_ms'] = round(systemCpu(bench.cpu['large_read'] ?? {}).ms);
}

/** Returns the id of the file. */
async function upload({ state, apiKey }: Bench): Promise<string> {
  const bytes = noise(sourceSide);
  const api = apiClient(state.base_url, apiKey);
  const terms = { filename: 'noise.png', content_type: 'image/png', size_bytes: bytes.length };
  type Upload = { file_id: string; upload_url: string };
  const { file_id: id, upload_url: url } = await expectStatus<Upload>(
    201,
    api.post('/v1/files/upload', terms),
  );
  const sent = await fetch(url, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: bytes });
  if (!sent.ok) throw new Error(`an upload returned ${sent.status}`);
  await expectStatus(200, api.post('/v1/files/confirm', { file_id: id }));
  return id;
}

/** A PNG that does not compress. */
function noise(side: number): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc(side * (1 + 3 * side));
  for (let at = 0, state = 1; at < rows.length; at++) {
    state = (state * 48_271) % 2_147_483_647;
    rows[at] = at % (1 + 3 * side) === 0 ? 0 : state & 0xff;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return new Uint8Array(
    Buffer.concat([
      signature,
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
