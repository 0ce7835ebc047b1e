import type { oas31 } from 'zod-openapi';

type Links = Record<string, oas31.LinkObject>;

/** A link to an operation that takes a field of the response as its parameter of the path. */
function linkTo(
  operationId: string,
  field: string,
  description: string,
  parameter = field,
): oas31.LinkObject {
  return { operationId, parameters: { [parameter]: `$response.body#/${field}` }, description };
}

export const executionLinks: Links = {
  read: linkTo('getExecution', 'id', 'Its status and, once completed, its result'),
  follow: linkTo('streamExecutionEvents', 'id', 'Its events as they happen'),
  result: linkTo('getExecutionResult', 'id', 'Its result, once completed'),
  cancel: linkTo('cancelExecution', 'id', 'Cancels it'),
};

export const uploadLinks: Links = {
  confirm: {
    operationId: 'confirmUpload',
    requestBody: { file_id: '$response.body#/file_id' },
    description: 'Checks the uploaded bytes',
  },
  read: linkTo('getFile', 'file_id', 'The record of the file'),
};

export const webhookEndpointLinks: Links = {
  test: linkTo('testWebhookEndpoint', 'id', 'Sends it a test event'),
  deliveries: linkTo('listWebhookEndpointDeliveries', 'id', 'The deliveries to it'),
};
