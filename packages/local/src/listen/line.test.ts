import { describe, expect, it } from '@jest/globals';
import { colouredJson, type Delivered, lineOf, type Paint } from './line.ts';

/** Shows what is painted how: `<green>text</>`. */
const paint: Paint = (format, text) => (format === 'reset' ? text : `<${String(format)}>${text}</>`);
const plain: Paint = (_format, text) => text;

const at = new Date(2026, 2, 20, 9, 5, 7, 42);

const delivered = (change: Partial<Delivered> = {}): Delivered => ({
  at,
  event: {
    id: 'evt_1',
    type: 'execution.failed',
    timestamp: new Date(at.getTime() - 84).toISOString(),
    execution_id: 'exec_1',
    data: { status: 'FAILED', model: 'sandbox-text', cost: null, error: { code: 'GENERATION_FAILED' } },
  },
  problem: null,
  before: { times: 0, wasTaken: false },
  responseStatus: 200,
  remark: null,
  ...change,
});

describe('the line of a delivery', () => {
  it('has the available fields, each in its colour, and no gaps for missing ones', () => {
    expect(lineOf(delivered(), paint)).toBe(
      '<dim>09:05:07.042</>  <green>✓ verified</>  <bold>execution.failed   </>  exec_1  <cyan>sandbox-text</>  ' +
        '<red>FAILED</>  <red>GENERATION_FAILED</>  <dim>→ 200</>  <dim>84 ms</>',
    );
  });

  it('distinguishes a retry of a refused delivery from a duplicate of an accepted one', () => {
    const repeated = (wasTaken: boolean) => lineOf(delivered({ before: { times: 2, wasTaken } }), paint);
    expect(repeated(false)).toContain('<yellow>retry, attempt 3</>');
    expect(repeated(true)).toContain('<magenta>duplicate, time 3</>');
  });

  it('shows failed verification and failed responses in red', () => {
    const line = lineOf(delivered({ problem: 'X-Signature is wrong', responseStatus: 401 }), paint);
    expect(line).toContain('<red,bold>✗ not verified: X-Signature is wrong</>');
    expect(line).toContain('<red>→ 401</>');
  });

  it('names the endpoint of an operational event, and marks a truncated body', () => {
    const data = { last_error: 'responded with 500' };
    const event = { type: 'endpoint.failing', endpoint_id: 'wh_1', truncated: true, data };
    expect(lineOf(delivered({ event }), plain)).toBe(
      '09:05:07.042  ✓ verified  endpoint.failing     wh_1  responded with 500  truncated  → 200',
    );
  });

  it('shows a body that is not an event without its control characters', () => {
    expect(lineOf(delivered({ event: {} }), plain)).toContain('no event');
    expect(lineOf(delivered({ event: { type: 'a\u001b[2J\r\u009b' } }), plain)).toContain('a�[2J��');
    expect(lineOf(delivered({ event: { type: 'a\u202eb\u2066' } }), plain)).toContain('a�b�');
  });
});

describe('a body with --verbose', () => {
  it('is printed as JSON on several lines, in colours', () => {
    expect(colouredJson('{"a":"b: \\"1\\" true","n":-1.5e3,"l":[null,true]}', paint)).toBe(
      [
        '{',
        '  <cyan>"a"</>: <green>"b: \\"1\\" true"</>,',
        '  <cyan>"n"</>: <yellow>-1500</>,',
        '  <cyan>"l"</>: [',
        '    <magenta>null</>,',
        '    <magenta>true</>',
        '  ]',
        '}',
      ].join('\n'),
    );
  });

  it('that is not JSON is printed unchanged on one line', () => {
    expect(colouredJson('hello\u0007', plain)).toBe('hello�');
    expect(colouredJson('a\n09:05:07.042  ✓ verified', plain)).toBe('a�09:05:07.042  ✓ verified');
  });
});
