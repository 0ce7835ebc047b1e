/** `publicEndpoint`: the server as clients reach it, used in presigned URLs only. */
export type S3Settings = {
  endpoint: string;
  publicEndpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
};
