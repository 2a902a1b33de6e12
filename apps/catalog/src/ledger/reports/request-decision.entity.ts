import type { rest } from '@tollgate/contracts';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { Organisation } from '../../entities/organisation.entity';

/** What the decision about a request was made of, as it was reported. */
@Entity('request_decision')
@Index(['organisationId', 'decidedAt'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
export class RequestDecision {
  @PrimaryColumn('uuid')
  organisationId!: string;

  @PrimaryColumn('uuid')
  requestId!: string;

  @Column('timestamptz')
  decidedAt!: Date;

  /** The key may be deleted since. */
  @Column('uuid')
  apiKeyId!: string;

  /** As the client named it; of MCP requests the server; empty: none. */
  @Column('text')
  model!: string;

  @Column('text')
  operation!: string;

  @Column('jsonb')
  decision!: rest.ExplainedDecision;
}
