import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';
import { describe, expect, it } from '@jest/globals';
import { modelsFolder, providerEnvironment } from './config.ts';

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

  it('are those of the environment when npm start does not run', () => {
    const env = { HOLDFAST_HOME: '/nonexistent', FAL_KEY: 'mine' };
    expect(providerEnvironment({}, env)).toEqual(env);
  });
});
