/** `publicEndpoint`: the server as clients reach it, used in presigned URLs only. */
export type S3Settings = {
  endpoint: string;
  publicEndpoint: string;
  region: string;
  bucket: string;
  /** Where the bucket stands: `host/bucket/key`, or `bucket.host/key`. Default: path. */
  style?: 'path' | 'virtual';
  accessKey: string;
  secretKey: string;
};
