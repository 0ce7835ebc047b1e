import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { enterFal } from './target.ts';

function entered(url: string, hostname: string, header?: string, authorization = 'Key sk_1') {
  const headers = { authorization, ...(header !== undefined && { 'x-fal-target-url': header }) };
  const request = { url, hostname, headers } as unknown as Request;
  enterFal(request, ['fal.test']);
  return [request.url, request.headers.authorization];
}

const proxied = (target: string) => entered('/v1/fal/proxy', 'api.test', target)[0];

describe('a request of fal’s client', () => {
  it.each([
    ['https://queue.fal.run/fal-ai/flux/dev?fal_webhook=x', 'queue/fal-ai%2Fflux%2Fdev?fal_webhook=x'],
    ['https://queue.fal.run/a/b/requests/1/status?logs=1', 'queue/a%2Fb/requests/1/status?logs=1'],
    ['https://queue.fal.run/a/b/requests/1/status/stream', 'queue/a%2Fb/requests/1/status/stream'],
    ['https://queue.fal.run/workflows/a/b/requests/1', 'queue/workflows%2Fa%2Fb/requests/1'],
    ['https://fal.run/a/b/c', 'run/a%2Fb%2Fc'],
    ['https://fal.run/a/b/stream', 'run/a%2Fb/stream'],
    ['https://rest.fal.ai/storage/upload/initiate?x=1', 'rest/storage/upload/initiate?x=1'],
    ['https://v3.fal.media/files/upload', 'rest/files/upload'],
  ])('to %s through the proxy is one to its path', (target, path) => {
    expect(proxied(target)).toBe(`/v1/fal/${path}`);
  });

  it.each([
    'https://example.com/a/b',
    'https://queue.fal.run.example.com/a/b',
    'http://fal.run/a/b',
    'https://other.fal.run/a/b',
    'file:///fal.run',
    '',
  ])('to %j through the proxy leads nowhere', (target) => {
    expect(proxied(target)).toBe('/v1/fal/proxy');
  });

  it.each([
    ['queue.fal.test', '/a/b', '/v1/fal/queue/a%2Fb'],
    ['fal.test', '/a/b', '/v1/fal/run/a%2Fb'],
    ['rest.fal.test', '/tokens/', '/v1/fal/rest/tokens/'],
    ['fal.test', '/v1/fal/queue/a/b/requests/1', '/v1/fal/queue/a%2Fb/requests/1'],
    ['api.test', '/v1/fal/queue/a/b/requests/1', '/v1/fal/queue/a%2Fb/requests/1'],
    ['fal.test', '/v1/executions', '/v1/fal/run/v1%2Fexecutions'],
  ])('to the host %s and the path %s is one to %s', (host, url, path) => {
    expect(entered(url, host)).toEqual([path, 'Bearer sk_1']);
  });

  it('to another host stays as it is, with its key', () => {
    expect(entered('/v1/executions', 'queue.api.test')).toEqual(['/v1/executions', 'Key sk_1']);
  });
});
