import { describe, expect, it } from '@jest/globals';
import { fanoutJobs, fanoutQueue, settleJobs } from './definitions.ts';

const ids = Array.from({ length: 600 }, (_, index) => `evt_${index}`);

describe('hints that come together', () => {
  it('are passed on in few jobs, each hint in one of them', () => {
    const jobs = fanoutJobs({ eventIds: ids, deliveryIds: [] });
    expect(jobs).toHaveLength(3);
    expect(jobs.flatMap(({ eventIds }) => eventIds)).toEqual(ids);
    expect(new Set(jobs.map(fanoutQueue.jobId)).size).toBe(3);
  });

  it('make no job when there are none, and a lone one is a job under its own id', () => {
    expect(fanoutJobs({ eventIds: [], deliveryIds: [] })).toEqual([]);
    const jobs = fanoutJobs({ eventIds: ['evt_1'], deliveryIds: ['dlv_1'] });
    expect(jobs.map(fanoutQueue.jobId)).toEqual(['evt_1', 'dlv_1']);
  });

  it('are distinguished by how the attempts ended', () => {
    const attempts = ['att_1', 'att_2', 'att_3'].map((attemptId) => ({
      attemptId,
      ok: attemptId !== 'att_2',
    }));
    expect(settleJobs(attempts)).toEqual([
      { attemptIds: ['att_1', 'att_3'], ok: true },
      { attemptIds: ['att_2'], ok: false },
    ]);
  });
});
