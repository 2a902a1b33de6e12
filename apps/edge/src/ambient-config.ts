// The identity of the gateway's own surroundings, under the names that the vendors' own tools read.

import { ambientRulesShape } from '@tollgate/contracts/node';
import { envVar, type ConfigOf } from '@tollgate/kit';

import type { AmbientSettings } from './upstream/credentials';

const url = (standard: string, description: string) =>
  envVar.url({ default: standard, protocols: ['http', 'https'], description });
const optionalUrl = (description: string) =>
  envVar.url({ optional: true, protocols: ['http', 'https'], description });
const text = (description: string) => envVar.string({ default: '', description });

export const ambientShape = {
  ...ambientRulesShape,
  GOOGLE_APPLICATION_CREDENTIALS: text(
    'File of a service account or of an external account. Unset: the metadata server.',
  ),
  GCE_METADATA_HOST: envVar.string({
    default: 'metadata.google.internal',
    description: "Host of Google's metadata server.",
  }),
  AZURE_TENANT_ID: text('Tenant of AZURE_FEDERATED_TOKEN_FILE.'),
  AZURE_CLIENT_ID: text('Client of AZURE_FEDERATED_TOKEN_FILE, or user-assigned managed identity.'),
  AZURE_FEDERATED_TOKEN_FILE: text(
    "File of the pod's token. Unset: the managed identity of the machine.",
  ),
  AZURE_AUTHORITY_HOST: url(
    'https://login.microsoftonline.com/',
    'Where Entra issues tokens for AZURE_FEDERATED_TOKEN_FILE.',
  ),
  AZURE_POD_IDENTITY_AUTHORITY_HOST: url(
    'http://169.254.169.254/',
    "Azure's metadata service, for managed identities.",
  ),
  AWS_ROLE_ARN: text('Role that is assumed with AWS_WEB_IDENTITY_TOKEN_FILE.'),
  AWS_ROLE_SESSION_NAME: envVar.string({
    default: 'tollgate',
    description: "Name of the sessions of AWS_ROLE_ARN, in the cloud's logs.",
  }),
  AWS_WEB_IDENTITY_TOKEN_FILE: text(
    "File of the pod's token. Unset: the container's credentials, or those of the instance.",
  ),
  AWS_ENDPOINT_URL_STS: optionalUrl('Security token service. Unset: that of the region.'),
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: text(
    'Path below http://169.254.170.2 of the credentials of a task.',
  ),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: optionalUrl('Credentials of a pod or container.'),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: text(
    'File of what is sent as Authorization to AWS_CONTAINER_CREDENTIALS_FULL_URI.',
  ),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: url(
    'http://169.254.169.254',
    'Metadata service of the instance (IMDSv2).',
  ),
};

const TASKS = 'http://169.254.170.2';

export function ambientSettingsOf(config: ConfigOf<typeof ambientShape>): AmbientSettings {
  const relative = config.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  return {
    organisations: config.AMBIENT_IDENTITY_ORGANISATIONS,
    hosts: config.AMBIENT_IDENTITY_HOSTS,
    google: {
      credentialsFile: config.GOOGLE_APPLICATION_CREDENTIALS,
      metadataHost: config.GCE_METADATA_HOST,
    },
    azure: {
      tenantId: config.AZURE_TENANT_ID,
      clientId: config.AZURE_CLIENT_ID,
      tokenFile: config.AZURE_FEDERATED_TOKEN_FILE,
      authorityHost: config.AZURE_AUTHORITY_HOST,
      metadataHost: config.AZURE_POD_IDENTITY_AUTHORITY_HOST,
    },
    aws: {
      roleArn: config.AWS_ROLE_ARN,
      sessionName: config.AWS_ROLE_SESSION_NAME,
      tokenFile: config.AWS_WEB_IDENTITY_TOKEN_FILE,
      stsEndpoint: config.AWS_ENDPOINT_URL_STS ?? '',
      containerUri:
        relative === '' ? (config.AWS_CONTAINER_CREDENTIALS_FULL_URI ?? '') : TASKS + relative,
      containerTokenFile: config.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
      metadataEndpoint: config.AWS_EC2_METADATA_SERVICE_ENDPOINT,
    },
  };
}
