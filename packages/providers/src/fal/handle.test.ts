import { describe, expect, it } from '@jest/globals';
import { isQueueHandle, readHandle, unknownHandle } from './handle.ts';
import { fixture } from './testing/fixtures.ts';

const connection = { baseUrl: 'https://queue.fal.run', apiKey: 'k', settings: {} };
const submitted = fixture('submit');
const id = '80e732af-660e-45cd-bd63-580e4f2a94cc';
const runUrl = `https://queue.fal.run/fal-ai/flux/requests/${id}`;

describe('the handle of a run', () => {
  it('has the URLs of the response', () => {
    const handle = readHandle(
      { ...submitted, status_url: `${runUrl}/status?v=2` },
      connection,
      'fal-ai/flux/dev',
    );
    expect(handle).toEqual({
      externalId: id,
      response_url: runUrl,
      status_url: `${runUrl}/status?v=2`,
      cancel_url: `${runUrl}/cancel`,
    });
  });

  it.each([
    'https://evil.example/status',
    'https://queue.fal.run.evil.example/status',
    'https://queue.fal.run:8443/status',
    'https://user@queue.fal.run/status',
    'http://queue.fal.run/status',
    'ftp://queue.fal.run/status',
    'file:///etc/passwd',
    '/status',
    5,
    null,
    undefined,
  ])('has the documented URL in place of %j', (status_url) => {
    const handle = readHandle({ ...submitted, status_url }, connection, 'fal-ai/flux/dev');
    expect(handle?.status_url).toBe(`${runUrl}/status`);
  });

  it('may have URLs of hosts that the operator allows', () => {
    const allowing = { ...connection, settings: { ALLOWED_HOSTS: 'a.example, Other.fal.run' } };
    const status_url = 'https://other.fal.run/status';
    expect(readHandle({ ...submitted, status_url }, allowing, 'fal-ai/x')?.status_url).toBe(status_url);
  });

  it.each([
    ['fal-ai/fast-sdxl', 'fal-ai/fast-sdxl'],
    ['fal-ai/kling-video/v2/master/text-to-video', 'fal-ai/kling-video'],
    ['workflows/me/mine/sub', 'workflows/me/mine'],
  ])('belongs to the application of %s', (model, application) => {
    const handle = readHandle({ request_id: 'r1' }, connection, model);
    expect(handle?.response_url).toBe(`https://queue.fal.run/${application}/requests/r1`);
  });

  it.each([{}, { request_id: '' }, { request_id: '../x' }, { request_id: 5 }, null, 'x'])(
    'does not exist in %j',
    (json) => expect(readHandle(json, connection, 'fal-ai/flux')).toBeNull(),
  );

  it('has no URL to poll when the run is unknown', () => {
    expect(isQueueHandle(unknownHandle('exec_1'))).toBe(false);
  });
});
