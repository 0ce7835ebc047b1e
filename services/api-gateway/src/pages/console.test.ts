import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { mountConsole } from './console.ts';

const root = mkdtempSync(join(tmpdir(), 'holdfast-console-'));
let consoles = 0;

afterAll(() => rmSync(root, { recursive: true, force: true }));

function openConsole() {
  consoles += 1;
  const folder = join(root, String(consoles), 'dist');
  const build = (script: string, at: number) => {
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(folder, 'assets/index-a1.js'), script);
    writeFileSync(join(folder, 'index.html'), '<!doctype html><div id="root"></div>');
    utimesSync(join(folder, 'index.html'), at, at);
  };
  const app = express();
  mountConsole(app, folder);
  return { folder, build, get: (path: string) => request(app).get(path) };
}

it('the admin port leads to the console', async () => {
  const { get } = openConsole();
  expect((await get('/').expect(302)).headers['location']).toBe('console/');
  expect((await get('/console').expect(302)).headers['location']).toBe('console/');
});

it('pages of the console allow no foreign or inline script, and no frame', async () => {
  const { build, get } = openConsole();
  build('1', 1);
  for (const path of ['/console/', '/console/executions/exec_1', '/console/assets/index-a1.js']) {
    const { headers } = await get(path).expect(200);
    expect(headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).toContain("img-src 'self' blob:; media-src 'self' blob:;");
  }
});

it('only assets, which have a hash in their name, are cached', async () => {
  const { build, get } = openConsole();
  build('1', 1);
  const asset = await get('/console/assets/index-a1.js').expect(200);
  expect(asset.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
    'content-type': 'text/javascript; charset=utf-8',
  });
  expect((await get('/console/').expect(200)).headers['cache-control']).toBe('no-cache');
});

it('nothing outside of the build is served', async () => {
  const { build, folder, get } = openConsole();
  build('1', 1);
  writeFileSync(join(folder, '../secret.js'), 'secret');
  for (const path of [
    '/console/assets/unknown.js',
    '/console/assets/..%2f..%2fsecret.js',
    '/console/assets/../../secret.js',
  ]) {
    await get(path).expect(404);
  }
});

it('a new build replaces the old one without a restart, and a page waits for the first', async () => {
  const { build, get } = openConsole();
  const waiting = await get('/console/').expect(503);
  expect(waiting.headers['refresh']).toBe('2');
  build('first', 1);
  expect((await get('/console/assets/index-a1.js').expect(200)).text).toBe('first');
  build('second', 2);
  expect((await get('/console/assets/index-a1.js').expect(200)).text).toBe('second');
});
