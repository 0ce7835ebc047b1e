import { describe, expect, it } from '@jest/globals';
import { connectionConfig, connectionProblems } from './connectionConfig.ts';
import { trustedHosts } from './outputFiles.ts';
import { createProviders } from './registry.ts';

describe('connectionConfig', () => {
  it('reads every connection with a base URL', () => {
    const environment = {
      MY_GPU_BASE_URL: 'http://gpu:5000/',
      MY_GPU_API_KEY: 'k',
      MY_GPU_MAX_CONCURRENCY: '4',
      SANDBOX_BASE_URL: 'http://127.0.0.1:1',
      EMPTY_BASE_URL: '',
      PATH: '/bin',
    };
    expect(connectionConfig(environment)).toEqual({
      my_gpu: { baseUrl: 'http://gpu:5000', apiKey: 'k', settings: { MAX_CONCURRENCY: '4' } },
      sandbox: { baseUrl: 'http://127.0.0.1:1', apiKey: null, settings: {} },
    });
  });

  it('connects to OpenAI itself if only its key is set', () => {
    expect(connectionConfig({ OPENAI_API_KEY: 'k' })).toEqual({
      openai: { baseUrl: 'https://api.openai.com/v1', apiKey: 'k', settings: {} },
    });
    expect(connectionConfig({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://l:1/v1' }).openai?.baseUrl).toBe(
      'http://l:1/v1',
    );
  });

  it('ignores an invalid URL and reports its variable', () => {
    const environment = { A_BASE_URL: 'nope', B_BASE_URL: 'ftp://b', C_BASE_URL: 'http://c' };
    expect(Object.keys(connectionConfig(environment))).toEqual(['c']);
    const named = connectionProblems(environment).map((line) => line.split(' ')[0]);
    expect(named).toEqual(['A_BASE_URL', 'B_BASE_URL']);
  });

  it('returns the trusted hosts with their ports', () => {
    const connections = connectionConfig({ A_BASE_URL: 'https://a.example/x', B_BASE_URL: 'http://b:81' });
    expect(Object.values(connections).flatMap(trustedHosts)).toEqual(['a.example:443', 'b:81']);
  });

  it('returns the other hosts with trusted output files, and reports invalid origins', () => {
    const environment = {
      GPU_BASE_URL: 'http://gpu:5000',
      GPU_OUTPUT_ORIGINS: 'http://minio:9000, https://files.lan/, minio:9000,http://a/b,',
    };
    const { gpu } = connectionConfig(environment);
    expect(gpu && trustedHosts(gpu)).toEqual(['gpu:5000', 'minio:9000', 'files.lan:443']);
    expect(connectionProblems(environment)).toEqual([
      'GPU_OUTPUT_ORIGINS: minio:9000 is not an origin such as http://minio:9000, and is ignored',
      'GPU_OUTPUT_ORIGINS: http://a/b is not an origin such as http://minio:9000, and is ignored',
    ]);
  });
});

describe('createProviders', () => {
  it('wraps each provider once', () => {
    const dressed: string[] = [];
    const providers = createProviders(
      { gpu: { baseUrl: 'http://gpu', apiKey: null, settings: {} } },
      (provider, connection) => {
        dressed.push(connection);
        return { ...provider, name: 'dressed' };
      },
    );
    const cog = providers.find({ adapter: 'cog', connection: 'gpu' });
    expect(cog?.name).toBe('dressed');
    expect(providers.find({ adapter: 'cog', connection: 'gpu' })).toBe(cog);
    expect(dressed).toEqual(['gpu']);
    providers.close();
  });

  it('creates one provider per adapter and connection, and none without configuration', () => {
    const providers = createProviders({ gpu: { baseUrl: 'http://gpu', apiKey: null, settings: {} } });
    const cog = providers.find({ adapter: 'cog', connection: 'gpu' });
    expect(cog?.name).toBe('cog');
    expect(providers.find({ adapter: 'cog', connection: 'gpu' })).toBe(cog);
    expect(providers.find({ adapter: 'openai', connection: 'gpu' })?.name).toBe('openai');
    expect(providers.find({ adapter: 'cog', connection: 'constructor' })).toBeNull();
    providers.close();
  });
});
