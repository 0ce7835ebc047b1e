import type { Success } from '@holdfast/domain/outcome';
import { expect, it } from '@jest/globals';
import { withMeasuredFiles } from './measuredFiles.ts';

const success: Success = {
  ok: true,
  output: {},
  usage: { inputTokens: 1, outputTokens: 2 },
  measured: { seconds: 3 },
};

it('pictures and videos are priced by what was stored of them', () => {
  const files = [
    { file_id: 'file_a', format: 'png', width: 1000, height: 2000 },
    { file_id: 'file_b', format: 'mp4', width: 500, height: 1000, duration: 5 },
    { file_id: 'file_c', format: 'wav', duration: 5 },
  ];
  expect(withMeasuredFiles(success, files)).toEqual({
    ...success,
    measured: { seconds: 3, megapixels: 2.5 },
  });
  expect(withMeasuredFiles(success, files.slice(2))).toEqual(success);
  expect(withMeasuredFiles({ ...success, measured: {} }, files).measured).toEqual({
    seconds: 10,
    megapixels: 2.5,
  });
});
