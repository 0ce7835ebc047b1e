const many = (count: number) => (count === 1 ? '1 execution' : `${count.toLocaleString()} executions`);

/** What is done with all executions of a list. */
export const bulkTexts = {
  bulk: {
    noOrganization: 'Choose an organization in the filters first',
    impossible: 'Not with these filters: remove the provider and the id, or choose another status',
    counting: 'Counting …',
    found: (count: number) =>
      count === 0 ? 'No execution of these filters can be changed so.' : `${many(count)} match.`,
    cancel: {
      label: 'Cancel all …',
      title: 'Cancel executions',
      about:
        'Cancels the open executions of the filters, newest first: their holds are released, and providers are asked to stop.',
      working: (count: number) => `${many(count)} cancelled …`,
      done: (count: number) => `Done: ${many(count)} cancelled.`,
      left: (count: number) => `${many(count)} had ended meanwhile.`,
    },
    rerun: {
      label: 'Run all again …',
      title: 'Run executions again',
      about:
        'Creates a new execution for each failed or expired one of the filters, or for those of the status that you chose. Each holds balance of the organization like any other.',
      working: (count: number) => `${many(count)} created …`,
      done: (count: number) => `Done: ${many(count)} created.`,
      left: (count: number) =>
        `${many(count)} cannot run again: they were erased, or their model or files are gone.`,
    },
  },
} as const;
