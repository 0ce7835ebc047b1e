import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';
import { describe, expect, it } from '@jest/globals';
import { adminAccess, apiAccess, modelsFolder, providerEnvironment } from './config.ts';

describe('the connections of a command', () => {
  it('are those of the running dispatcher, unless DATABASE_URL names another database; set variables win', async () => {
    const dispatcher = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
      env: { OPENAI_API_KEY: 'sk-of=npm-start', FAL_KEY: 'fal', MODELS_DIR: '/its/models' },
    });
    try {
      await once(dispatcher.stdout, 'data');
      const home = testFolder('home');
      const state = { database_url: 'postgresql://x', services: { dispatcher: { pid: dispatcher.pid } } };
      writeFileSync(join(home, 'local.json'), JSON.stringify(state));
      const env = { HOLDFAST_HOME: home, FAL_KEY: 'mine' };
      expect(providerEnvironment({}, env)).toMatchObject({
        OPENAI_API_KEY: 'sk-of=npm-start',
        FAL_KEY: 'mine',
      });
      // Applying another folder than npm start did would withdraw its models.
      expect(modelsFolder(undefined, providerEnvironment({}, env))).toBe('/its/models');
      expect(modelsFolder('mine', providerEnvironment({}, env))).toBe('mine');
      expect(providerEnvironment({ 'database-url': 'postgresql://elsewhere' }, env)).toEqual(env);
      const elsewhere = { ...env, DATABASE_URL: 'postgresql://elsewhere' };
      expect(providerEnvironment({}, elsewhere)).toEqual(elsewhere);
    } finally {
      dispatcher.kill();
    }
  });

  it('are those of npm start only with its own database, so that no other one is changed instead', () => {
    const home = testFolder('home');
    const own = { database_url: 'postgresql://own', admin_url: 'http://own', admin_token: 'own' };
    writeFileSync(join(home, 'local.json'), JSON.stringify(own));
    const env = { HOLDFAST_HOME: home };
    const local = { url: 'http://own', token: 'own' };
    expect(adminAccess({}, env)).toEqual(local);
    expect(adminAccess({ 'database-url': 'postgresql://own' }, env)).toEqual(local);
    expect(adminAccess({}, { ...env, DATABASE_URL: 'postgresql://own' })).toEqual(local);
    const url = 'postgresql://elsewhere';
    const needsAddress = 'no admin API is known: use --admin-url, set HOLDFAST_ADMIN_URL (and ADMIN_TOKEN)';
    expect(() => adminAccess({ 'database-url': url }, env)).toThrow(needsAddress);
    for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL'])
      expect(() => adminAccess({}, { ...env, [name]: url })).toThrow(needsAddress);
    const named = { 'database-url': url, 'admin-url': 'http://elsewhere', 'admin-token': 'its' };
    expect(adminAccess(named, env)).toEqual({ url: 'http://elsewhere', token: 'its' });
  });

  it('send the key of npm start to no other API', () => {
    const home = testFolder('home');
    const own = { database_url: 'postgresql://own', base_url: 'http://own', api_key: 'sk_own' };
    writeFileSync(join(home, 'local.json'), JSON.stringify(own));
    const env = { HOLDFAST_HOME: home };
    expect(apiAccess({}, {}, env)).toEqual({ baseUrl: 'http://own', apiKey: 'sk_own' });
    expect(() => apiAccess({}, { url: 'http://elsewhere' }, env)).toThrow('no API key is known');
    expect(() => apiAccess({}, {}, { ...env, HOLDFAST_URL: 'http://elsewhere' })).toThrow('no API key');
    expect(() => apiAccess({}, {}, { HOLDFAST_HOME: '/nonexistent' })).toThrow('no API is known');
    const given = { url: 'http://elsewhere', key: 'sk_1' };
    expect(apiAccess({}, given, env)).toEqual({ baseUrl: 'http://elsewhere', apiKey: 'sk_1' });
  });

  it('are those of the environment when npm start does not run', () => {
    const env = { HOLDFAST_HOME: '/nonexistent', FAL_KEY: 'mine' };
    expect(providerEnvironment({}, env)).toEqual(env);
  });
});
