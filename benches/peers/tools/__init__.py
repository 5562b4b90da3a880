"""The tools that are compared, one module each."""

from .backlog import Backlog
from .beads import Beads
from .beads_rust import BeadsRust
from .dela import Dela
from .server_memory import ServerMemory
from .task_master import TaskMaster
from .windlass import Windlass, WindlassMcp

# In the order of the columns.
TOOLS = [Windlass, Beads, BeadsRust, Backlog, TaskMaster, Dela, WindlassMcp, ServerMemory]
