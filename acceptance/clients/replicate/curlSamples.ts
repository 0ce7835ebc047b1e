import { expect } from '@jest/globals';

const hello = '5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa';
const page = { results: expect.any(Array), next: null, previous: null };
const listed = { ...page, results: expect.arrayContaining([expect.anything()]) };
const containing = (one: object) => ({ results: expect.arrayContaining([expect.objectContaining(one)]) });

/** What the samples call the prediction and the file that were created before. */
export const examples = ['gm3qorzdhgbfurvjtvhg6dckhu', '$PREDICTION_ID', 'cneqzikepnug6xezperrr4z55o'];

/** The samples of Replicate's HTTP reference, as they stand there, with what each has to print. */
export const curlSamples: [name: string, sample: string, printed: object | RegExp][] = [
  [
    'account.get',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/account`,
    { type: 'organization', username: expect.stringMatching(/^org_/) },
  ],
  [
    'predictions.create',
    `curl -s -X POST -H 'Prefer: wait' \\
  -d '{"version": "replicate/hello-world:${hello}", "input": {"text": "Alice"}}' \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  -H 'Content-Type: application/json' \\
  https://api.replicate.com/v1/predictions`,
    { status: 'succeeded', version: hello, output: expect.stringContaining('Alice'), error: null },
  ],
  [
    'models.predictions.create',
    `curl -s -X POST -H 'Prefer: wait' \\
  -d '{"input": {"prompt": "Write a short poem about the weather."}}' \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  -H 'Content-Type: application/json' \\
  https://api.replicate.com/v1/models/meta/meta-llama-3-70b-instruct/predictions`,
    { status: 'succeeded', model: 'meta/meta-llama-3-70b-instruct', output: expect.any(Array) },
  ],
  [
    'deployments.predictions.create',
    `curl -s -X POST -H 'Prefer: wait' \\
  -d '{"input": {"prompt": "A photo of a bear riding a bicycle over the moon"}}' \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  -H 'Content-Type: application/json' \\
  https://api.replicate.com/v1/deployments/acme/my-app-image-generator/predictions`,
    { status: 'succeeded', output: [expect.stringMatching(/^data:image\/png/)] },
  ],
  [
    'the sample of a page of a model',
    `curl --silent --show-error https://api.replicate.com/v1/models/black-forest-labs/flux-schnell/predictions \\
    --request POST \\
    --header "Authorization: Bearer $REPLICATE_API_TOKEN" \\
    --header "Content-Type: application/json" \\
    --header "Prefer: wait" \\
    --data @- <<'EOM'
{
    "input": {
      "prompt": "black forest gateau cake spelling out the words \\"FLUX SCHNELL\\", tasty, food photography, dynamic shot"
    }
}
EOM`,
    { status: 'succeeded', input: { prompt: expect.stringContaining('"FLUX SCHNELL"') } },
  ],
  [
    'models.predictions.create of a video',
    `curl -s -X POST \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{
    "input": {
      "prompt": "a video that may take a while to generate"
    }
  }' \\
  https://api.replicate.com/v1/models/minimax/video-01/predictions`,
    { status: 'starting', output: null },
  ],
  [
    'predictions.cancel',
    `curl -s -X POST \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/predictions/$PREDICTION_ID/cancel`,
    { model: 'minimax/video-01', status: expect.stringMatching(/^(canceled|succeeded)$/) },
  ],
  [
    'predictions.get',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu`,
    { urls: { get: expect.any(String), cancel: expect.any(String) } },
  ],
  [
    'predictions.list',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/predictions`,
    { ...listed, ...containing({ model: 'minimax/video-01' }) },
  ],
  [
    'files.create',
    `curl -X POST https://api.replicate.com/v1/files \\
  -H "Authorization: Token $REPLICATE_API_TOKEN" \\
  -H 'Content-Type: multipart/form-data' \\
  -F 'content=@/path/to/archive.zip;type=application/zip;filename=example.zip' \\
  -F 'metadata={"customer_reference_id": 123};type=application/json'`,
    { name: 'example.zip', size: 22, checksums: { sha256: expect.any(String) } },
  ],
  [
    'files.list',
    `curl -s \\
  -H "Authorization: Token $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/files`,
    { ...page, ...containing({ name: 'example.zip' }) },
  ],
  [
    'files.get',
    `curl -s \\
  -H "Authorization: Token $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/files/cneqzikepnug6xezperrr4z55o`,
    { name: 'example.zip', content_type: 'application/zip' },
  ],
  [
    'files.delete',
    `curl -X DELETE \\
  -H "Authorization: Token $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/files/cneqzikepnug6xezperrr4z55o`,
    /^$/,
  ],
  [
    'models.list',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  "https://api.replicate.com/v1/models?sort_by=model_created_at&sort_direction=desc"`,
    listed,
  ],
  [
    'models.search',
    `curl -s -X QUERY \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  -H "Content-Type: text/plain" \\
  -d "hello" \\
  https://api.replicate.com/v1/models`,
    { ...page, results: [expect.objectContaining({ owner: 'replicate', name: 'hello-world' })] },
  ],
  [
    'models.get',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/models/replicate/hello-world`,
    { owner: 'replicate', name: 'hello-world', latest_version: { id: hello } },
  ],
  [
    'models.versions.list',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/models/replicate/hello-world/versions`,
    { ...page, ...containing({ id: hello }) },
  ],
  [
    'models.versions.get',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/models/replicate/hello-world/versions/${hello}`,
    { id: hello, openapi_schema: { components: { schemas: { Input: { required: ['text'] } } } } },
  ],
  [
    'deployments.get',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/deployments/acme/my-app-image-generator`,
    { owner: 'acme', name: 'my-app-image-generator', current_release: { number: 1 } },
  ],
  ...['collections', 'deployments', 'trainings'].map((name): [string, string, object] => [
    `${name}.list`,
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/${name}`,
    page,
  ]),
  [
    'hardware.list',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/hardware`,
    /^\[\]$/,
  ],
  [
    'webhooks.default.secret.get',
    `curl -s \\
  -H "Authorization: Bearer $REPLICATE_API_TOKEN" \\
  https://api.replicate.com/v1/webhooks/default/secret`,
    { key: expect.stringMatching(/^whsec_/) },
  ],
];
