'use client';

import { rest } from '@tollgate/contracts';
import { useRead } from '../../api/provider';
import { useOrganisation } from '../../shell/scope';

/** What a limit binds, by name. */
export function ScopeName({ scope }: { scope: rest.Scope }) {
  const { id: organisationId, name } = useOrganisation();
  switch (scope.type) {
    case 'ORGANISATION':
      return <Named kind="Organisation" name={name} />;
    case 'TEAM':
      return <TeamName params={{ organisationId, teamId: scope.id }} />;
    case 'USER':
      return <UserName params={{ organisationId, userId: scope.id }} />;
    case 'API_KEY':
      return <KeyName params={{ organisationId, apiKeyId: scope.id }} />;
    case 'MODEL':
      return <ModelName params={{ organisationId, modelId: scope.id }} />;
  }
}

type InOrganisation<Name extends string> = {
  params: { organisationId: string } & Record<Name, string>;
};

function TeamName({ params }: InOrganisation<'teamId'>) {
  const { data } = useRead(rest.getTeam, { params });
  return <Named kind="Team" name={data?.name} />;
}

function UserName({ params }: InOrganisation<'userId'>) {
  const { data } = useRead(rest.getUser, { params });
  return <Named kind="User" name={data?.name} />;
}

function KeyName({ params }: InOrganisation<'apiKeyId'>) {
  const { data } = useRead(rest.getApiKey, { params });
  return <Named kind="Key" name={data?.name} />;
}

function ModelName({ params }: InOrganisation<'modelId'>) {
  const { data } = useRead(rest.getModel, { params });
  return <Named kind="Model" name={data?.name} />;
}

/** Until the name is known, and where it is out of reach, only the kind is said. */
function Named({ kind, name }: { kind: string; name: string | undefined }) {
  return (
    <span className="truncate">
      <span className="font-normal text-ink-soft">{kind}</span> {name}
    </span>
  );
}
