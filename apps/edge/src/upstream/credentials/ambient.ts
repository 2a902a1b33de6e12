// The identity of the gateway's own surroundings: of its pod, container or machine. It belongs to the operator,
// not to an organisation. So where it comes from is read from the environment alone, under the names that the
// vendors' own tools use, and the operator names the organisations that may use it.

import { readFile, stat } from 'node:fs/promises';
import type { Cloud } from '@tollgate/contracts';
import { serviceAccount } from '@tollgate/contracts/node';

import { jsonOf } from '../../formats/json';
import { noCredential } from './ask-issuer';
import {
  containerCredentials,
  instanceCredentials,
  webIdentityCredentials,
  type AwsCredentials,
  type AwsDeps,
} from './aws-credentials';
import { managedIdentityToken, workloadToken } from './entra';
import { externalAccount, federatedToken, metadataToken, serviceAccountToken } from './google';
import type { Issued } from './renewed';

/** Empty texts are absent. */
export interface AmbientSettings {
  /** Ids of the organisations whose providers may use it. */
  readonly organisations: readonly string[];
  /** Hosts with ports that it may be used for, beside the clouds' own. */
  readonly hosts: readonly string[];
  readonly google: { readonly credentialsFile: string; readonly metadataHost: string };
  readonly azure: {
    readonly tenantId: string;
    readonly clientId: string;
    readonly tokenFile: string;
    readonly authorityHost: string;
    readonly metadataHost: string;
  };
  readonly aws: {
    readonly roleArn: string;
    readonly sessionName: string;
    readonly tokenFile: string;
    /** Empty: that of the region. */
    readonly stsEndpoint: string;
    readonly containerUri: string;
    readonly containerTokenFile: string;
    readonly metadataEndpoint: string;
  };
}

/** Larger files are no credentials. */
const FILE_BYTES = 64 * 1024;

/** The file that the identity is read from; undefined: none. */
export function ambientFile(settings: AmbientSettings, cloud: Cloud): string | undefined {
  const { aws, azure, google } = settings;
  const files = {
    google: google.credentialsFile,
    azure: azure.tokenFile,
    aws: aws.tokenFile || aws.containerTokenFile,
  };
  return files[cloud] || undefined;
}

/** When the file last changed; undefined: it cannot be read. */
export async function changedMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}

export async function ambientToken(
  cloud: 'google' | 'azure',
  settings: AmbientSettings,
  deps: AwsDeps,
): Promise<Issued<string>> {
  if (cloud === 'google') return googleToken(settings.google, deps);
  const { authorityHost, clientId, metadataHost, tenantId, tokenFile } = settings.azure;
  if (tokenFile === '') return managedIdentityToken(metadataHost, clientId || undefined, deps);
  if (tenantId === '' || clientId === '') {
    throw noCredential('AZURE_FEDERATED_TOKEN_FILE needs AZURE_TENANT_ID and AZURE_CLIENT_ID');
  }
  const workload = { authorityHost, tenantId, clientId };
  return workloadToken(workload, await textOf(tokenFile, 'AZURE_FEDERATED_TOKEN_FILE'), deps);
}

async function googleToken(
  { credentialsFile, metadataHost }: AmbientSettings['google'],
  deps: AwsDeps,
): Promise<Issued<string>> {
  if (credentialsFile === '') return metadataToken(metadataHost, deps);
  const name = 'GOOGLE_APPLICATION_CREDENTIALS';
  const document = jsonOf(await textOf(credentialsFile, name));
  const account = serviceAccount.safeParse(document);
  if (account.success) return serviceAccountToken(account.data, deps);
  const external = externalAccount.safeParse(document);
  if (!external.success) {
    throw noCredential(`the file of ${name} is neither a service account nor an external account`);
  }
  const { file } = external.data.credential_source;
  return federatedToken(external.data, await textOf(file, name), deps);
}

export async function ambientAwsCredentials(
  settings: AmbientSettings['aws'],
  region: string,
  deps: AwsDeps,
): Promise<Issued<AwsCredentials>> {
  const { containerTokenFile, containerUri, roleArn, tokenFile } = settings;
  if (tokenFile !== '' && roleArn !== '') {
    const endpoint = settings.stsEndpoint || `https://sts.${region}.${suffixOf(region)}`;
    const role = { endpoint, roleArn, sessionName: settings.sessionName };
    const token = await textOf(tokenFile, 'AWS_WEB_IDENTITY_TOKEN_FILE');
    return webIdentityCredentials(role, token, deps);
  }
  if (containerUri !== '') {
    const name = 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE';
    const token = containerTokenFile === '' ? '' : await textOf(containerTokenFile, name);
    return containerCredentials(containerUri, token.trim(), deps);
  }
  return instanceCredentials(settings.metadataEndpoint, deps);
}

function suffixOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

/** Read anew for each token, because such files rotate. `variable`: the setting that names the file. */
async function textOf(path: string, variable: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    throw noCredential(`the file of ${variable} cannot be read`);
  }
  if (text.length > FILE_BYTES) {
    throw noCredential(`the file of ${variable} has more than ${FILE_BYTES} characters`);
  }
  return text;
}
