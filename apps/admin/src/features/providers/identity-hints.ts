import type { Cloud } from '@tollgate/contracts';

/** What the field of the key takes beside a key, by the provider's cloud. */
export const IDENTITY_HINTS: Readonly<Record<Cloud, string>> = {
  google:
    'Paste the JSON file of a service account, or an API key. {"type": "ambient"} stands for the gateway’s own identity, if its operator allows it.',
  azure:
    'The resource’s key, or an Entra client as JSON: {"type": "entra_client_secret", "tenantId": …, "clientId": …, "clientSecret": …}. {"type": "ambient"} stands for the gateway’s own identity, if its operator allows it.',
  aws: 'A Bedrock API key, or an access key as JSON: {"type": "aws_access_key", "accessKeyId": …, "secretAccessKey": …}. {"type": "ambient"} stands for the gateway’s own identity, if its operator allows it.',
};
