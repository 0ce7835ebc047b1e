/** For the reference: an execution that went well, and what it made. */
export const exampleOutput = {
  images: [{ file_id: 'file_01981e9d-8f21-7b60-a2c4-6d0e8f1a2b3c', format: 'png', width: 1024, height: 768 }],
};

export const exampleUsage = { input_tokens: 0, output_tokens: 0 };

export const exampleCreated = {
  id: 'exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d',
  status: 'PENDING',
  model: 'sandbox-image',
  hold_amount: '0.048',
  estimated_cost: '0.04',
  expires_at: '2026-03-20T10:40:00.000Z',
  created_at: '2026-03-20T10:30:00.000Z',
};

export const exampleExecution = {
  ...exampleCreated,
  status: 'COMPLETED',
  mode: 'ASYNC',
  priority: 'normal',
  progress: 1,
  queue_position: null,
  metadata: { order: 'A-17' },
  webhook_url: null,
  started_at: '2026-03-20T10:30:00.120Z',
  completed_at: '2026-03-20T10:30:08.420Z',
  cost: '0.04',
  error: null,
  erased_at: null,
  result: exampleOutput,
  usage: exampleUsage,
  latency_ms: 8420,
};
