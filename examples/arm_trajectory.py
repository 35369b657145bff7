"""A planar arm finds its way around obstacles: trajectory optimisation by gradient descent.

The arm has n revolute joints in a row; joint i turns link i against the link before it. A
trajectory is a list of waypoints, each an array of n joint angles, with the start given. Its cost
is a sum of

- effort: squared changes of the angles from one waypoint to the next,
- collision: for points along every link, the square of how far the point has come into the
  margin around an obstacle (a disc),
- limits: the square of how far an angle is beyond what the joint allows,
- aim: the squared distance from the tip of the arm to its target, at the last waypoint.

All terms are once continuously differentiable: a squared hinge has no kink.
"""

import numpy as np

import tapeless as tl

MARGIN = 0.15
JOINT_LIMIT = 2.6
POINTS_PER_LINK = 3


class Robot:
    """A planar arm: link lengths, and the pose that it was last moved to."""

    def __init__(self, lengths, base_x=0.0, base_y=0.0):
        self.lengths = lengths
        self.n = len(lengths)
        self.joints = np.zeros((self.n + 1, 2))
        self.joints[0, 0] = base_x
        self.joints[0, 1] = base_y
        # how far the arm reaches, counted from each joint outwards
        self.reach = np.zeros(self.n + 1)
        for i in reversed(range(self.n)):
            self.reach[i] = self.reach[i + 1] + lengths[i]
        self.moves = 0

    def move_to(self, angles):
        """Forward kinematics: the positions of all joints, and of the tip, in place."""
        heading = 0.0
        for i, angle in enumerate(angles):
            heading += angle
            self.joints[i + 1, 0] = self.joints[i, 0] + self.lengths[i] * np.cos(heading)
            self.joints[i + 1, 1] = self.joints[i, 1] + self.lengths[i] * np.sin(heading)
        self.moves += 1

    def tip(self):
        return self.joints[-1]

    def point(self, link, fraction):
        """A point on a link: its inner joint at fraction 0, its outer joint at 1."""
        inner, outer = self.joints[link], self.joints[link + 1]
        return inner + fraction * (outer - inner)


def distance(p, x, y):
    return np.hypot(p[0] - x, p[1] - y)


def link_collision(robot, link, obstacle):
    """The penalty of one link and one obstacle."""
    x, y, radius = obstacle
    cost = 0.0
    for k in range(1, POINTS_PER_LINK + 1):
        gap = distance(robot.point(link, k / POINTS_PER_LINK), x, y) - radius
        if gap > MARGIN:
            continue
        cost += (MARGIN - gap) ** 2
    return cost


def collision(robot, obstacles):
    """The penalty of the present pose, over all links and obstacles."""
    cost = 0.0
    for obstacle in obstacles:
        x, y, radius = obstacle
        if distance(robot.joints[0], x, y) > robot.reach[0] + radius + MARGIN:
            continue
        for link in range(robot.n):
            # from here outwards the arm is too short to touch the obstacle
            if distance(robot.joints[link], x, y) > robot.reach[link] + radius + MARGIN:
                break
            cost += link_collision(robot, link, obstacle)
    return cost


def beyond_limit(angle):
    if angle > JOINT_LIMIT:
        return angle - JOINT_LIMIT
    if angle < -JOINT_LIMIT:
        return angle + JOINT_LIMIT
    return 0.0


def trajectory_cost(waypoints, start, target, lengths, obstacles, weights):
    """The cost of a trajectory from the angles `start` that is to bring the tip to `target`."""
    robot = Robot(lengths)
    terms = {"effort": 0.0, "collision": 0.0, "limits": 0.0}

    def charge(name, amount):
        terms[name] += weights[name] * amount

    previous = start
    for angles in waypoints:
        charge("effort", np.sum((angles - previous) ** 2))
        robot.move_to(angles)
        charge("collision", collision(robot, obstacles))
        for angle in angles:
            charge("limits", beyond_limit(angle) ** 2)
        previous = angles
    miss = robot.tip() - target
    total = weights["aim"] * (miss @ miss)
    for name in ("effort", "collision", "limits"):
        total += terms[name]
    return total


def make_scene():
    start = np.array([0.1, 0.2, 0.1, 0.1])
    target = np.array([-0.6, 2.3])
    lengths = np.array([1.0, 0.8, 0.7, 0.5])
    # the last obstacle is out of reach
    obstacles = np.array([[1.6, 1.6, 0.4], [0.2, 2.75, 0.3], [-1.6, 0.4, 0.3], [4.0, 4.0, 0.5]])
    weights = {"effort": 0.3, "collision": 30.0, "limits": 5.0, "aim": 10.0}
    return start, target, lengths, obstacles, weights


def straight_path(start, end, count):
    path = []
    for k in range(1, count + 1):
        path.append(start + (k / count) * (end - start))
    return path


def make_inputs():
    start, target, lengths, obstacles, weights = make_scene()
    waypoints = straight_path(start, np.array([1.4, 0.4, 2.8, -2.9]), 5)
    return waypoints, start, target, lengths, obstacles, weights


def clearance(waypoints, lengths, obstacles):
    """The smallest gap between arm and obstacles over the trajectory."""
    robot = Robot(lengths)
    smallest = np.inf
    for angles in waypoints:
        robot.move_to(angles)
        for link in range(robot.n):
            for fraction in np.linspace(0.0, 1.0, 11):
                p = robot.point(link, fraction)
                gaps = np.hypot(obstacles[:, 0] - p[0], obstacles[:, 1] - p[1]) - obstacles[:, 2]
                smallest = min(smallest, np.min(gaps))
    return smallest


def main(steps=300, count=10):
    start, target, lengths, obstacles, weights = make_scene()
    scene = (start, target, lengths, obstacles, weights)
    value_and_grad = tl.value_and_grad(trajectory_cost, wrt="waypoints")
    path = straight_path(start, np.array([1.2, 0.4, 0.3, 0.2]), count)
    print(f"clearance of the straight path {clearance(path, lengths, obstacles):6.3f}")
    cost, slopes = value_and_grad(path, *scene)
    history = [cost]
    rate = 0.01
    for step in range(1, steps + 1):
        trial = [angles - rate * slope for angles, slope in zip(path, slopes, strict=True)]
        new_cost, new_slopes = value_and_grad(trial, *scene)
        if new_cost < cost:
            path, cost, slopes = trial, new_cost, new_slopes
            rate *= 1.2
        else:
            rate *= 0.5
        history.append(cost)
        if step % max(steps // 6, 1) == 0:
            print(f"step {step:4d}   cost {cost:8.4f}")
    robot = Robot(lengths)
    robot.move_to(path[-1])
    print(f"clearance of the optimised path {clearance(path, lengths, obstacles):6.3f}")
    print(f"the tip ends {np.linalg.norm(robot.tip() - target):.3f} from its target")
    return history


if __name__ == "__main__":
    main()
