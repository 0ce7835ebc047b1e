// Outputs of a server with https by Replicate's client for JavaScript. Prints a line for each call.
import Replicate from 'replicate';

const { REPLICATE_BASE_URL: baseUrl } = process.env;
const client = new Replicate({ baseUrl });
const model = 'sandbox/sandbox-image';
let file;

function expect(isTrue, seen) {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(seen)}`);
}
function isPng(buffer) {
  const bytes = Buffer.from(buffer);
  expect(bytes.subarray(1, 4).toString() === 'PNG', bytes.subarray(0, 8).toString('hex'));
}

const calls = {
  async run() {
    [file] = await client.run(model, { input: { prompt: 'over https' } });
    expect(file.url().href.startsWith(`${baseUrl}/output/`), file.url());
    isPng(await (await file.blob()).arrayBuffer());
  },
  async 'output without a key'() {
    const response = await fetch(file.url());
    expect(response.ok && response.headers.get('content-type') === 'image/png', response.status);
    isPng(await response.arrayBuffer());
  },
  async stream() {
    const [other] = await client.run(model, { input: { prompt: 'a stream over https' } });
    isPng(Buffer.concat(await Array.fromAsync(other)));
  },
};

for (const [name, call] of Object.entries(calls)) {
  const problem = await call().then(
    () => null,
    (error) => `${error.name}: ${error.message} ${error.cause ?? ''}`,
  );
  console.log(JSON.stringify({ name, problem }));
}
