import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** No script or style but the files of the console, and no other host but for the images named. */
export function consolePolicy({
  frameAncestors,
  images,
}: {
  frameAncestors: string;
  images?: string;
}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self'", images].filter(Boolean).join(' '),
    "media-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

type Asset = { type: string; bytes: Buffer; compressed: Buffer };
type Assets = { builtAtMs: number; files: Map<string, Asset> };

const builtFolder = path.resolve(import.meta.dirname, '../../../../packages/console/dist');

export type ConsoleFiles = {
  /** Sends the file of this path below `/console/`, or else the page; returns false for an unknown asset. */
  send(
    request: Request,
    response: Response,
    file: { path: string; page: string; policy: string },
  ): Promise<boolean>;
};

/** The files of the console, which is built into `folder`. A new build is noticed. */
export function openConsoleFiles(folder = builtFolder): ConsoleFiles {
  let assets: Promise<Assets> | null = null;
  const load = async (): Promise<Assets | null> => {
    const built = await stat(path.join(folder, 'index.html')).catch(() => null);
    if (!built) return null;
    const loaded = await assets?.catch(() => null);
    if (loaded?.builtAtMs !== built.mtimeMs) assets = readAssets(folder, built.mtimeMs);
    return (await assets) ?? null;
  };
  return {
    async send(request, response, { path: name, page, policy }) {
      const found = await load();
      if (!found) {
        sendUnbuilt(response, policy);
        return true;
      }
      const isHashed = name.startsWith('assets/');
      const asset = found.files.get(isHashed ? name : page);
      if (asset) sendAsset(request, response, asset, { isHashed, policy });
      return asset !== undefined;
    },
  };
}

async function readAssets(folder: string, builtAtMs: number): Promise<Assets> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && types[path.extname(entry.name)] !== undefined);
  const entries = await Promise.all(
    files.map(async (entry) => {
      const file = path.join(entry.parentPath, entry.name);
      const bytes = await readFile(file);
      const asset = {
        type: types[path.extname(entry.name)] ?? '',
        bytes,
        compressed: await promisify(gzip)(bytes),
      };
      return [path.relative(folder, file), asset] as const;
    }),
  );
  return { builtAtMs, files: new Map(entries) };
}

/** The names of assets contain a hash of their bytes. */
function sendAsset(
  request: Request,
  response: Response,
  { type, bytes, compressed }: Asset,
  { isHashed, policy }: { isHashed: boolean; policy: string },
): void {
  const isCompressed =
    request.acceptsEncodings('gzip') !== false && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  response.set({
    'Content-Type': type,
    'Content-Security-Policy': policy,
    'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Encoding',
    ...(isCompressed && { 'Content-Encoding': 'gzip' }),
  });
  response.end(isCompressed ? compressed : bytes);
}

function sendUnbuilt(response: Response, policy: string): void {
  response
    .status(503)
    .set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store', Refresh: '2', 'Retry-After': '2' })
    .type('html')
    .send(
      '<!doctype html><html lang="en"><title>Holdfast console</title><p>The console is being built. This page loads it when it is ready.</p></html>',
    );
}
