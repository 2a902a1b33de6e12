import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';

import { User } from '../entities/user.entity';

/** A link that sets a new password once. Only the token's hash is stored. */
@Entity('password_reset')
@Unique(['tokenSha256'])
@Index(['userId'])
@Index(['expiresAt'])
@ForeignKey(() => User, ['userId'], ['id'], { onDelete: 'CASCADE' })
export class PasswordReset {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  userId!: string;

  @Column('bytea')
  tokenSha256!: Buffer;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
