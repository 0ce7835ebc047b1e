import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { flag, parseConfig, port, positiveInt } from './config.ts';

const shape = {
  PORT: port().default(8080).describe('a port'),
  SECRET: z.string().describe('a secret'),
  OPEN: flag().default(false).describe('a flag'),
};

describe('parseConfig', () => {
  it('reads variables and fills in defaults', () => {
    expect(parseConfig(shape, { SECRET: 's', OPEN: 'true' })).toEqual({
      PORT: 8080,
      SECRET: 's',
      OPEN: true,
    });
  });

  it('lists every problem at once, with the missing variables', () => {
    const check = () => ['OTHER is wrong'];
    expect(() => parseConfig(shape, { PORT: 'x', SECRET: '', OPEN: 'perhaps' }, [check])).toThrow(
      /PORT: [^]*SECRET is not set: a secret[^]*OPEN: [^]*OTHER is wrong/,
    );
  });

  it('says in plain words what a value must be', () => {
    const size = { SIZE: positiveInt() };
    expect(() => parseConfig(size, { SIZE: 'many' })).toThrow(/SIZE: must be a number$/);
    expect(() => parseConfig(size, { SIZE: '1.5' })).toThrow(/SIZE: must be an integer$/);
    expect(() => parseConfig(size, { SIZE: '0' })).toThrow(/SIZE: must be more than 0$/);
    expect(() => parseConfig({ PORT: port() }, { PORT: '-1' })).toThrow(/PORT: must be at least 0$/);
    expect(() => parseConfig({ PORT: port() }, { PORT: '65536' })).toThrow(/PORT: must be at most 65535$/);
    expect(() => parseConfig({ OPEN: flag() }, { OPEN: 'perhaps' })).toThrow(
      /OPEN: must be one of "true", "false"$/,
    );
  });
});
