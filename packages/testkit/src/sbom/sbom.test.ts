import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLicences } from './licences.ts';
import { packageOf, readLockfile } from './lockfile.ts';
import { sbomOf } from './sbom.ts';

const text = readFileSync(new URL('../../../../pnpm-lock.yaml', import.meta.url), 'utf8');
const lock = readLockfile(text);
const licences = readLicences(resolve(import.meta.dirname, '../../../../node_modules/.pnpm'));
const sbom = sbomOf(lock, text, '1.2.3', licences);
const find = (name: string) => sbom.components.find((one) => one.name === name && !one.group);

describe('the bill of materials', () => {
  it('names every package of the lockfile, with its hash, once', () => {
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    expect(sbom.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(sbom.components).toHaveLength(Object.keys(lock.packages).length);
    expect(new Set(sbom.components.map((one) => one.purl)).size).toBe(sbom.components.length);
    for (const one of sbom.components) {
      expect(one.purl).toMatch(/^pkg:npm\/(%40[^/@]+\/)?[^/@]+@\d[^/@]*$/);
      expect(one.hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/);
    }
  });

  it('names the licence of every package that is installed here, and of no other', () => {
    expect(find('express')?.licenses).toEqual([{ license: { id: 'MIT' } }]);
    const named = sbom.components.filter(({ licenses }) => licenses !== undefined);
    expect(named.length).toBeGreaterThan(500);
    const ofRequired = sbom.components.filter(({ scope }) => scope === 'required');
    const unnamed = ofRequired.filter(({ licenses }) => licenses === undefined).map(({ purl }) => purl);
    // Builds for other platforms, which this one does not install.
    expect(unnamed.filter((purl) => !/linux|darwin|win32|windows|freebsd|wasm|emnapi/.test(purl))).toEqual(
      [],
    );
  });

  it.each([
    ['MIT', { license: { id: 'MIT' } }],
    ['MIT and ISC', { expression: 'MIT AND ISC' }],
    ['(MIT OR CC0-1.0)', { expression: '(MIT OR CC0-1.0)' }],
    ['SEE LICENSE IN LICENSE.md', { license: { name: 'SEE LICENSE IN LICENSE.md' } }],
  ])('says of the licence %s what it is', (text, said) => {
    const id = 'a@1.0.0';
    const tiny = { importers: {}, packages: { [id]: { resolution: {} } }, snapshots: {} };
    expect(sbomOf(tiny, '', '1', new Map([[id, text]])).components[0]?.licenses).toEqual([said]);
  });

  it('tells what runs in production from what is for tests', () => {
    const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve('yaml/package.json')), 'utf8'));
    expect(find('yaml')).toMatchObject({ version, scope: 'required' });
    expect(find('express')?.scope).toBe('required');
    expect(find('jest')?.scope).toBe('excluded');
    expect(find('knip')?.scope).toBe('excluded');
  });

  it('says what needs what, and refers to nothing else than it names', () => {
    const known = new Set(['holdfast', ...sbom.components.map((one) => one['bom-ref'])]);
    for (const { ref, dependsOn } of sbom.dependencies) {
      expect([ref, ...dependsOn].filter((one) => !known.has(one))).toEqual([]);
    }
    const express = find('express')?.purl;
    expect(sbom.dependencies[0]?.dependsOn).toContain(express);
    const needs = sbom.dependencies.find(({ ref }) => ref === express)?.dependsOn ?? [];
    expect(needs).toContain(find('body-parser')?.purl);
    const linked = Object.keys(lock.snapshots).map(packageOf);
    expect(linked.filter((id) => !Object.hasOwn(lock.packages, id))).toEqual([]);
  });

  it('is the same for the same lockfile', () => {
    expect(sbomOf(readLockfile(text), text, '1.2.3', licences)).toEqual(sbom);
  });
});
