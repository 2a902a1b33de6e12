import type { rest } from '@tollgate/contracts';
import { Column, Entity, ForeignKey, PrimaryColumn, UpdateDateColumn } from 'typeorm';

import { Organisation } from './organisation.entity';

/** Whose tokens an organisation accepts at MCP servers, and for which of its API keys they stand. */
@Entity('mcp_sign_in')
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
export class McpSignIn {
  @PrimaryColumn('uuid')
  organisationId!: string;

  @Column('text')
  issuer!: string;

  @Column('jsonb', { default: [] })
  audiences!: string[];

  @Column('jsonb', { default: [] })
  scopes!: string[];

  /** A key that has been deleted since stays here, and its rule matches nobody. */
  @Column('jsonb', { default: [] })
  rules!: rest.McpSignInPut['rules'];

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
